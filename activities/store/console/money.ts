import { sql } from 'kysely'
import { railKeys } from '#domain/rails/rail.ts'
import { dailyUseOf } from '../payouts/transfers.ts'
import type { Tx } from '../postgres/db.ts'

/** Atomic units of the asset that count against the daily cap of a wallet now. */
export async function readDailyUse(tx: Tx, wallet: string): Promise<bigint> {
  const { rows } = await dailyUseOf(wallet).execute(tx)
  return BigInt(rows[0]?.used ?? '0')
}

export type CreditTotals = { outstanding_units: number; funded: number; reserved_units: number }

/** Credit that agents have paid for and not used. */
export async function readCredit(tx: Tx): Promise<CreditTotals> {
  const { rows } = await sql<CreditTotals>`
    select coalesce(sum(granted_units - consumed_units - returned_units), 0)::int as outstanding_units,
      count(*)::int as funded,
      coalesce((select sum(units) from task_credits where state = 'reserved'), 0)::int as reserved_units
    from entitlements where state = 'funded'`.execute(tx)
  const [totals = { outstanding_units: 0, funded: 0, reserved_units: 0 }] = rows
  return totals
}

export type LedgerTotals = {
  wallet_units: number
  debt_units: number
  revenue_units: number
  fee_units: number
}

/**
 * What the postings add up to, in whole usd: owed to wallets and by them, earned by runs, and fees that went into the ledger. Test money
 * and what an operator granted are in accounts of their own. Each sum reads one account after another from an index.
 */
export async function readLedgerTotals(tx: Tx): Promise<LedgerTotals> {
  const earned = sql.join(railKeys.map((rail) => `revenue:${rail}`))
  const held = (
    kind: 'wallet' | 'debt',
  ) => sql`(select coalesce(sum(b.units), 0) from allowance_wallets w
    join account_balances b on b.account = ${`${kind}:`} || w.wallet_id)`
  const { rows } = await sql<LedgerTotals>`
    select ${held('wallet')}::float8 as wallet_units, -${held('debt')}::float8 as debt_units,
      (select coalesce(sum(units), 0)::float8 from postings where account in (${earned})) as revenue_units,
      (select coalesce(sum(units), 0)::float8 from postings where account = 'fees') as fee_units`.execute(
    tx,
  )
  const [totals] = rows
  if (totals === undefined) throw new Error('Postgres returned no totals')
  return totals
}

/** Charges of calls that were settled, in atomic units of the asset, and what of them became a credit. */
export async function readCallFees(
  tx: Tx,
): Promise<{ settled: number; atomic: string; credits: number }> {
  const { rows } = await sql<{ settled: number; atomic: string; credits: number }>`
    select count(*)::int as settled, coalesce(sum(amount_atomic), 0)::text as atomic,
      count(*) filter (where credit = 'available')::int as credits
    from payments where state = 'settled'`.execute(tx)
  const [fees = { settled: 0, atomic: '0', credits: 0 }] = rows
  return fees
}

export type MoneyPoint = { at: Date; paid_out: number; earned: number; credited: number }

/** What was paid out, earned with charges and credited for runs in each hour of the last day, or each day of the last 30, in US dollars. */
export async function readMoneySeries(tx: Tx, span: 'day' | 'month'): Promise<MoneyPoint[]> {
  const step = sql.lit(span === 'day' ? '1 hour' : '1 day')
  const length = sql.lit(span === 'day' ? '23 hours' : '29 days')
  const unit = sql.lit(span === 'day' ? 'hour' : 'day')
  const { rows } = await sql<MoneyPoint>`
    with slots as (select generate_series(date_trunc(${unit}, clock_timestamp(), 'UTC') - interval ${length},
        date_trunc(${unit}, clock_timestamp(), 'UTC'), interval ${step}) as at),
      since as (select min(at) as at from slots)
    select s.at,
      coalesce((select sum(amount_atomic) from transfers where status in ('included','final')
        and block_time >= s.at and block_time < s.at + interval ${step}), 0)::float8 / 1e6 as paid_out,
      coalesce((select sum(amount_atomic) from payments, since where state = 'settled' and created_at >= since.at
        and created_at >= s.at and created_at < s.at + interval ${step}), 0)::float8 / 1e6 as earned,
      coalesce((select sum(amount_usd) from payment_references, since where settlement_receipt_id is not null
        and changed_at >= since.at and changed_at >= s.at and changed_at < s.at + interval ${step}), 0)::float8 as credited
    from slots s order by s.at`.execute(tx)
  return rows
}

export type StatementRow = { day: string; sha256: string; kid: string; made_at: Date }

/** The signed statements, the newest first. */
export async function listStatements(tx: Tx, most: number): Promise<StatementRow[]> {
  return tx
    .selectFrom('statements')
    .select(['day', 'sha256', 'kid', 'made_at'])
    .orderBy('day', 'desc')
    .limit(most)
    .execute()
}
