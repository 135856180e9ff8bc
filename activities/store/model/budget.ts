import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'

/**
 * The most tokens of one day (UTC) over all runs, of one subject, and over all analyses of agents and of callers without a key. Each
 * has a budget of its own, so that free analyses use up nothing that runs were paid for.
 */
export type ModelBudget = {
  readonly perDay: number
  readonly perSubject: number
  readonly analysesPerDay: number
  readonly anonymousPerDay: number
}
/** Tokens that a call may use at most, counted before it is sent. */
export type Reservation = { subject: string; day: string; tokens: number }

/** The scope of a subject's day by the form of its id, and what of the budget is for it. */
function shareOf(subject: string): { scope: string; most: keyof ModelBudget } {
  if (subject.startsWith('anon_')) return { scope: 'anonymous', most: 'anonymousPerDay' }
  if (subject.startsWith('an_')) return { scope: 'analyses', most: 'analysesPerDay' }
  return { scope: 'day', most: 'perDay' }
}

/** Counts the tokens of a call against its subject and the day, exactly under concurrency; null where either has not so many left. */
export async function reserveTokens(
  tx: Tx,
  { subject, tokens }: Pick<Reservation, 'subject' | 'tokens'>,
  budget: ModelBudget,
): Promise<Reservation | null> {
  const { rows } = await sql<{
    day: string
  }>`select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD') as day`.execute(tx)
  const day = rows[0]?.day ?? ''
  const { scope, most } = shareOf(subject)
  const counted =
    (await count(tx, `subject:${subject}`, tokens, budget.perSubject)) &&
    (await count(tx, `${scope}:${day}`, tokens, budget[most]))
  return counted ? { subject, day, tokens } : null
}

/** Adds tokens to a scope where it stays within its limit. */
async function count(tx: Tx, scope: string, tokens: number, most: number): Promise<boolean> {
  if (tokens > most) return false
  const { rows } = await sql`
    insert into model_budgets (scope, tokens) values (${scope}, ${tokens})
    on conflict (scope) do update set tokens = model_budgets.tokens + excluded.tokens
      where model_budgets.tokens + excluded.tokens <= ${most}
    returning tokens`.execute(tx)
  return rows.length > 0
}

/** Replaces the reservation of a call by the tokens that it used. */
export async function settleTokens(
  tx: Tx,
  { subject, day, tokens }: Reservation,
  used: number,
): Promise<void> {
  for (const scope of [`subject:${subject}`, `${shareOf(subject).scope}:${day}`])
    await sql`update model_budgets set tokens = greatest(0, tokens + ${used - tokens}) where scope = ${scope}`.execute(
      tx,
    )
}
