import { type Selectable, sql } from 'kysely'
import type { CountAndSum, Entry, StatementClaims } from '#domain/receipts/statement.ts'
import type { Spent } from '#domain/reconciliation/reconciliation.ts'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

export type StatementRow = Selectable<Database['statements']>

/** The statement of a day (`2026-11-21`), or the latest. */
export async function findStatement(tx: Tx, day?: string): Promise<StatementRow | undefined> {
  const query = tx.selectFrom('statements').selectAll().orderBy('day', 'desc').limit(1)
  return (day === undefined ? query : query.where('day', '=', day)).executeTakeFirst()
}

/** Stores a statement unless its day already has one. */
export async function insertStatement(
  tx: Tx,
  statement: Omit<StatementRow, 'made_at'>,
): Promise<boolean> {
  const stored = await tx
    .insertInto('statements')
    .values(statement)
    .onConflict((conflict) => conflict.doNothing())
    .returning('day')
    .executeTakeFirst()
  return stored !== undefined
}

/** The day of the first stored event; null if there is none. */
export async function firstDay(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`
    select to_char(least((select min(granted_at) from calls), (select min(created_at) from payouts),
      (select min(started_at) from reconciliations)) at time zone 'UTC', 'YYYY-MM-DD') as day`.execute(
    tx,
  )
  return rows[0]?.day ?? null
}

/** The blocks of a day: after the first number, up to and including the second. Null before the chain started. */
export type BlockSpan = { after: string | null; through: string | null }

const within = (span: BlockSpan) =>
  sql<boolean>`block_number > ${span.after ?? '-1'}::bigint and block_number <= ${span.through ?? '-1'}::bigint`

/** Transfers of the payout wallet in blocks of the day, in the order of block and payout. */
export async function transfersOf(tx: Tx, span: BlockSpan): Promise<Entry[]> {
  const rows = await tx
    .selectFrom('transfers')
    .select(['payout_id', 'transaction_hash', 'amount_atomic'])
    .where('status', 'in', ['included', 'final'])
    .where(within(span))
    .orderBy('block_number')
    .orderBy('payout_id')
    .execute()
  return rows.map((row) => ({
    id: row.payout_id,
    transactionHash: row.transaction_hash,
    amountAtomic: row.amount_atomic,
  }))
}

/** Fees settled in blocks of the day, in the order of block and payment. */
export async function feesOf(tx: Tx, span: BlockSpan): Promise<Entry[]> {
  const rows = await tx
    .selectFrom('payments')
    .select(['payment_id', 'transaction_hash', 'amount_atomic'])
    .where('state', '=', 'settled')
    .where(within(span))
    .orderBy('block_number')
    .orderBy('payment_id')
    .execute()
  return rows.map((row) => ({
    id: row.payment_id,
    transactionHash: row.transaction_hash,
    amountAtomic: row.amount_atomic,
  }))
}

/** The number of payouts in each state at this time (Unix seconds). */
export async function payoutsAt(tx: Tx, seconds: number): Promise<StatementClaims['payouts']> {
  const at = sql`to_timestamp(${seconds})`
  const { rows } = await sql<{
    state: keyof StatementClaims['payouts']
    count: number
    sum_atomic: string
  }>`
    select case when t.status = 'dead' and t.changed_at < ${at} then 'dead' when p.executed_at < ${at} then 'executed'
        when p.authorized_at < ${at} then 'authorized' else 'created' end as state,
      count(*)::int as count, sum(p.amount_atomic)::text as sum_atomic
    from payouts p left join transfers t on t.payout_id = p.payout_id
    where p.created_at < ${at} group by 1`.execute(tx)
  const of = (state: string): CountAndSum => {
    const row = rows.find((candidate) => candidate.state === state)
    return { count: row?.count ?? 0, sum_atomic: row?.sum_atomic ?? '0' }
  }
  return {
    created: of('created'),
    authorized: of('authorized'),
    executed: of('executed'),
    dead: of('dead'),
  }
}

/**
 * Counts for a time range in Unix seconds: free calls, exceptions by code and completed runs. Outstanding credits are
 * counted now.
 */
export async function countsOf(
  tx: Tx,
  { begin, end }: { begin: number; end: number },
): Promise<{
  free: number
  credits: number
  opened: Record<string, number>
  reconciliations: number
  open: number
}> {
  const during = (column: string) =>
    sql`${sql.ref(column)} >= to_timestamp(${begin}) and ${sql.ref(column)} < to_timestamp(${end})`
  const { rows } = await sql<{
    free: number
    credits: number
    opened: Record<string, number>
    reconciliations: number
    open: number
  }>`select
      (select count(*)::int from calls where funding = 'free' and grant_state <> 'released' and ${during('granted_at')}) as free,
      (select count(*)::int from payments where credit = 'available') as credits,
      (select coalesce(jsonb_object_agg(code, n), '{}') from
        (select code, count(*)::int as n from exceptions where ${during('first_seen_at')} group by code) by_code) as opened,
      (select count(*)::int from reconciliations where ${during('completed_at')}) as reconciliations,
      (select count(*)::int from exceptions where state = 'open') as open`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('Postgres counted nothing')
  return row
}

/** Confirmed transfers since this time (Unix seconds), by the time of their block, oldest first. */
export async function listSpent(tx: Tx, wallet: string, since: number): Promise<Spent[]> {
  const rows = await tx
    .selectFrom('transfers')
    .select(['payout_id', 'block_time', 'amount_atomic'])
    .where('wallet', '=', wallet)
    .where('status', 'in', ['included', 'final'])
    .where('block_time', '>', new Date(since * 1000))
    .orderBy('block_time')
    .execute()
  return rows.flatMap(({ payout_id, block_time, amount_atomic }) =>
    block_time === null
      ? []
      : [
          {
            payoutId: payout_id,
            blockTime: block_time.getTime() / 1000,
            amountAtomic: BigInt(amount_atomic),
          },
        ],
  )
}
