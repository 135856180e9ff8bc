import { type Selectable, sql } from 'kysely'
import { type AccountControls, openControls } from '#domain/accounts/controls.ts'
import type { Tx } from '../postgres/db.ts'
import { runInOrder, type Text } from '../postgres/pipeline.ts'
import { findRow, findValue, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ControlsRow = Selectable<Database['account_controls']>
/** Whose account: that of an agent, or the one that a wallet is bound to. */
export type AccountOf = { agentId: string } | { wallet: Text }
/**
 * One thing that is spent, by its kind and subject; `units` is the number of runs that a payment is for. The limit of a day holds for
 * payments, and again for everything else, so that a payment and the run that it is for are not added up.
 */
export type Spend = {
  kind: 'run' | 'payment' | 'payout' | 'fee' | 'claim'
  subject: string
  rail: string | null
  usd: number
  units?: number
}
export type HeldControls = { account_id: string; controls: AccountControls; spent_today: number }

const dayStart = sql`date_trunc('day', clock_timestamp() at time zone 'utc') at time zone 'utc'`
const accountId = (of: AccountOf) =>
  'agentId' in of
    ? sql`(select account_id from agents where agent_id = ${of.agentId})`
    : sql`(select account_id from account_wallets where wallet = ${of.wallet})`

/** The wallet that makes a call. */
export const callingWallet = (callId: string) =>
  sql<string>`(select substr(caller, 8) from calls where call_id = ${callId})`

/** The controls of an account and what it spent today except one subject, of payments or of the rest; undefined for an unbound wallet. */
export async function readControls(
  tx: Tx,
  of: AccountOf,
  except: Pick<Spend, 'kind' | 'subject'> = { kind: 'run', subject: '' },
): Promise<HeldControls | undefined> {
  const [row] = await runInOrder(
    tx,
    sql<ControlsRow & { spent_today: number; set: boolean }>`
    select c.*, a.account_id, c.account_id is not null as set, (select coalesce(sum(s.usd), 0)::float8
        from account_spends s where s.account_id = a.account_id and (s.kind = 'payment') = (${except.kind} = 'payment') and s.spent_at >= ${dayStart}
        and (s.kind, s.subject) <> (${except.kind}, ${except.subject})) as spent_today
    from accounts a left join account_controls c using (account_id) where a.account_id = ${accountId(of)}`,
  )
  if (row === undefined) return undefined
  const { account_id, spent_today } = row
  return { account_id, spent_today, controls: row.set ? controlsOf(row) : openControls }
}

export const controlsOf = (row: ControlsRow): AccountControls => ({
  allowed_rails: row.allowed_rails,
  per_run_usd_max: row.per_run_usd_max,
  per_day_usd_max: row.per_day_usd_max,
  review_all: row.review_all,
  callback_hosts: row.callback_hosts,
  paused: row.paused,
  credential_max_age_days: row.credential_max_age_days,
})

/** Stores what an account spends; Postgres refuses it at the commit where the controls forbid it by then. */
export const spendOf = (account_id: string, spend: Spend) => ({
  compile: (tx: Tx) =>
    tx
      .insertInto('account_spends')
      .values({ account_id, ...spend })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'subject']).doUpdateSet({
          rail: spend.rail,
          usd: spend.usd,
          units: spend.units ?? 1,
          spent_at: now,
        }),
      )
      .compile(),
})

/** Whether there is such an account. */
export async function isAccount(tx: Tx, account_id: string): Promise<boolean> {
  return (await findValue(tx, 'accounts', { account_id }, 'account_id')) !== undefined
}

/** Locks an account against changes of its controls and against what is spent at a commit. */
export async function lockAccount(tx: Tx, account_id: string): Promise<void> {
  await tx
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', account_id)
    .forNoKeyUpdate()
    .execute()
}

export const findControls = (tx: Tx, account_id: string) =>
  findRow(tx, 'account_controls', { account_id })

/** The monthly fee of an account, as its agent accepted it last or ended it; undefined where it never accepted one. */
export const findFee = (tx: Tx, account_id: string) => findRow(tx, 'account_fees', { account_id })

type Change = Omit<
  Selectable<Database['account_control_changes']>,
  'before' | 'after' | 'changed_at'
>

/** Sets the controls of a locked account and appends the change to its history. */
export async function writeControls(
  tx: Tx,
  change: Change,
  { before, after }: { before: AccountControls; after: AccountControls },
): Promise<ControlsRow> {
  const { account_id, set_by, receipt_id } = change
  const values = { ...after, set_by, receipt_id, set_at: now }
  await tx
    .insertInto('account_control_changes')
    .values({ ...change, before: JSON.stringify(before), after: JSON.stringify(after) })
    .execute()
  return tx
    .insertInto('account_controls')
    .values({ account_id, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow()
}
