import { type Insertable, type Selectable, sql } from 'kysely'
import { walletAccount } from '#domain/credit/credit.ts'
import type { MonthlyItem } from '#domain/credit/fees.ts'
import type { Tx } from '../postgres/db.ts'
import { changeRow, insertOnce, now, updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type FeeEventRow = Selectable<Database['fee_events']>
type NewFee = Omit<Insertable<Database['fee_events']>, 'created_at' | 'changed_at' | 'receipt_id'>

/** The event of a fee, locked, and stored first where it is new; only one transaction at a time has it. */
export async function lockFeeEvent(tx: Tx, fee: NewFee): Promise<FeeEventRow> {
  await insertOnce(tx, 'fee_events', fee)
  return tx
    .selectFrom('fee_events')
    .selectAll()
    .where('item', '=', fee.item)
    .where('subject', '=', fee.subject)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export const updateFeeEvent = (
  tx: Tx,
  fee_event_id: string,
  change: Partial<Pick<FeeEventRow, 'state' | 'wallet_id' | 'amount_usd' | 'receipt_id'>>,
) => changeRow(tx, 'fee_events', { fee_event_id }, { ...change, changed_at: now })

/** The oldest fees that an agent owes, or one of them, locked; those that another transaction takes now are left to it. */
export async function lockDueFees(
  tx: Tx,
  of: { agentId: string } | { feeEventId: string },
  most: number,
): Promise<FeeEventRow[]> {
  const due = tx.selectFrom('fee_events').selectAll().where('state', '=', 'due')
  return (
    'agentId' in of
      ? due.where('agent_id', '=', of.agentId)
      : due.where('fee_event_id', '=', of.feeEventId)
  )
    .orderBy('created_at')
    .orderBy('fee_event_id')
    .limit(most)
    .forUpdate()
    .skipLocked()
    .execute()
}

/** Fees that are due and were not tried within a day, those first that wait longest for it. */
export async function listDueFees(tx: Tx, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('fee_events')
    .select('fee_event_id')
    .where('state', '=', 'due')
    .where('changed_at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .orderBy('changed_at')
    .limit(most)
    .execute()
  return rows.map(({ fee_event_id }) => fee_event_id)
}

/** Ends a fee that was held or due for its subject; one that is posted stays. */
export const releaseFeeOf = (tx: Tx, item: FeeEventRow['item'], subject: string) =>
  updateRows(
    tx,
    'fee_events',
    { item, subject, state: ['held', 'due'] },
    { state: 'released', changed_at: now },
  )

/** Ends the fees of the runs on a credit that are due, where its payment was taken back; those that are posted stay. */
export async function releaseRunFees(tx: Tx, entitlementId: string): Promise<void> {
  await sql`update fee_events set state = 'released', changed_at = clock_timestamp()
    where item in ('receipt_fee','developer_fee') and state = 'due'
      and subject in (select task_id from task_credits where entitlement_id = ${entitlementId})`.execute(
    tx,
  )
}

/** What a wallet holds for fees to come, in whole usd. */
export async function heldForFees(tx: Tx, walletId: string): Promise<number> {
  const { usd } = await tx
    .selectFrom('fee_events')
    .select(sql<number>`coalesce(sum(amount_usd), 0)::int`.as('usd'))
    .where('wallet_id', '=', walletId)
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow()
  return usd
}

/** Whose fees: an agent's, or those of its that one wallet paid. */
export type FeesOf = { agentId: string; walletId?: string | undefined }
export type ShownFee = Omit<FeeEventRow, 'agent_id' | 'wallet_id' | 'changed_at'>

/** Whether the credit `e` was paid from the wallet, if one is named. */
const paidBy = (walletId: string | undefined) =>
  walletId === undefined ? sql`true` : sql`e.source = ${walletAccount(walletId)}`

/** The fees of an agent, the newest first. A payment settles the fee of a badge, and its refund releases it. */
export async function listFeeEvents(
  tx: Tx,
  { agentId, walletId }: FeesOf,
  most: number,
): Promise<ShownFee[]> {
  const posted = walletId === undefined ? sql`true` : sql`f.wallet_id = ${walletId}`
  const { rows } = await sql<ShownFee>`
    select fee_event_id, item, subject, amount_usd, state, receipt_id, created_at
      from fee_events f where f.agent_id = ${agentId} and ${posted}
    union all
    select b.fee_event_id, 'trust_badge_fee', b.trust_listing_id, p.amount_usd,
        case p.state when 'refunded' then 'released' else 'accrued' end, b.receipt_id, b.at
      from trust_listings l join trust_badge_events b using (trust_listing_id)
        join payment_references p using (payment_reference_id) join entitlements e using (entitlement_id)
      where l.agent_id = ${agentId} and b.event = 'settled' and ${paidBy(walletId)}
    order by created_at desc, fee_event_id limit ${most}`.execute(tx)
  return rows
}

/** The rail fees that the completed runs of an agent brought in, less what refunds took back, in whole usd. */
export async function routingFeesOf(tx: Tx, { agentId, walletId }: FeesOf): Promise<number> {
  const { rows } = await sql<{ usd: number }>`
    with posted as (
      select u.usage_receipt_id as receipt_id from usage_events u join entitlements e on e.entitlement_id = u.chain
        where u.agent_id = ${agentId} and ${paidBy(walletId)}
      union select r.receipt_id from entitlements e join payment_references f using (entitlement_id)
          cross join generate_series(0, f.refunds_failed) round
          join receipts r on r.subject = f.payment_reference_id || case round when 0 then '' else '/' || round + 1 end
            and r.kind in ('refund','refund_failed')
        where e.agent_id = ${agentId} and ${paidBy(walletId)})
    select coalesce(sum(p.units), 0)::int as usd
      from posted join postings p using (receipt_id) where p.account = 'fees'`.execute(tx)
  return rows[0]?.usd ?? 0
}

/** The UTC month by the clock of Postgres, as `2026-11`. */
export async function currentMonth(tx: Tx): Promise<string> {
  const { rows } = await sql<{
    month: string
  }>`select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM') as month`.execute(tx)
  return rows[0]?.month ?? ''
}

/** When the next UTC month begins. */
export async function nextMonth(tx: Tx): Promise<Date> {
  const { rows } = await sql<{
    at: Date
  }>`select (date_trunc('month', clock_timestamp() at time zone 'utc') + interval '1 month') at time zone 'utc' as at`.execute(
    tx,
  )
  return rows[0]?.at ?? new Date(Number.NaN)
}

export type MonthDue = { agent_id: string; wallet_id: string; subject: string }

/** Premium wallets, and accounts whose accepted fee for their controls is in force, whose month has no fee yet. */
export async function listMonthsDue(
  tx: Tx,
  { item, usd }: { item: MonthlyItem; usd: number },
  most: number,
): Promise<MonthDue[]> {
  const month = sql`to_char(statement_timestamp() at time zone 'utc', 'YYYY-MM')`
  const payers = {
    premium_wallet_tier: sql`select w.agent_id, w.wallet_id, w.wallet_id || ':' || ${month} as subject
      from allowance_wallets w where w.tier = 'premium'`,
    enterprise_controls: sql`select w.agent_id, w.wallet_id, a.account_id || ':' || ${month} as subject
      from account_controls c join accounts a using (account_id) join allowance_wallets w on w.agent_id = a.owner_agent_id
      join account_fees f using (account_id) where f.in_force and f.accepted_fee_usd >= ${usd}`,
  }
  const { rows } = await sql<MonthDue>`select * from (${payers[item]}) as p
    where not exists (select from fee_events e where e.item = ${item} and e.subject = p.subject)
    order by subject limit ${most}`.execute(tx)
  return rows
}
