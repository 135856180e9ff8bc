import { type Insertable, type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type QuoteRow = Selectable<Database['quotes']> & { expired: boolean; used: boolean }
export type NewQuote = Omit<Insertable<Database['quotes']>, 'issued_at' | 'expires_at'>

const columns = (tx: Tx) =>
  tx
    .selectFrom('quotes')
    .selectAll()
    .select(sql<boolean>`expires_at <= clock_timestamp()`.as('expired'))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('payment_challenges')
          .select('challenge_id')
          .whereRef('payment_challenges.quote_id', '=', 'quotes.quote_id')
          .where('state', '=', 'settled'),
      )
        .$castTo<boolean>()
        .as('used'),
    )

/** A quote with its status by the clock of Postgres. */
export async function findQuote(tx: Tx, quoteId: string): Promise<QuoteRow | undefined> {
  return columns(tx).where('quote_id', '=', quoteId).executeTakeFirst()
}

/** Whole US dollars of a quote; null without one. */
export async function priceOf(tx: Tx, quoteId: string | null): Promise<number | null> {
  if (quoteId === null) return null
  return (await findQuote(tx, quoteId))?.total_usd ?? null
}

type Same = { bound_to: string } & Pick<NewQuote, 'rail' | 'tier' | 'units'>

/** Serialises the quotes of one caller for one item until the transaction ends. */
export async function lockQuotes(tx: Tx, same: Same): Promise<void> {
  const name = `quote:${same.bound_to}:${same.rail}:${same.tier}:${same.units}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/** The owner's quote for the same item of the last five minutes, without a challenge or credit. */
export async function findSameQuote(
  tx: Tx,
  same: Same & Pick<NewQuote, 'task_id'>,
): Promise<QuoteRow | undefined> {
  return columns(tx)
    .where('bound_to', '=', same.bound_to)
    .where('rail', '=', same.rail)
    .where('tier', '=', same.tier)
    .where('units', '=', same.units)
    .where('task_id', 'is not distinct from', same.task_id ?? null)
    .where('issued_at', '>', sql<Date>`clock_timestamp() - interval '5 minutes'`)
    .where(sql<boolean>`not exists (select from entitlements e where e.quote_id = quotes.quote_id)`)
    .where(
      sql<boolean>`not exists (select from payment_challenges c where c.quote_id = quotes.quote_id)`,
    )
    .orderBy('issued_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertQuote(tx: Tx, quote: NewQuote, lifeSeconds: number): Promise<QuoteRow> {
  const row = await tx
    .insertInto('quotes')
    .values({
      ...quote,
      expires_at: sql<Date>`clock_timestamp() + ${lifeSeconds} * interval '1 second'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...row, expired: false, used: false }
}

/** Binds an unbound quote to its owner, if the token belongs to it. */
export const bindQuote = (tx: Tx, quoteId: string, tokenSha256: string, owner: string) =>
  updateRows(
    tx,
    'quotes',
    { quote_id: quoteId, token_sha256: tokenSha256, bound_to: null },
    { bound_to: owner },
  )
