import type pg from 'pg'
import { round } from './figures.ts'

type LogDelay = { receipts: number; p50_ms: number; p99_ms: number }

/** The time from the begin of the transaction that stored a receipt to the first signed checkpoint that has it. */
export async function measureLogDelay(rail: pg.Pool): Promise<LogDelay> {
  const { rows } = await rail.query<LogDelay>(`
    with delays as (
      select extract(epoch from checkpoint.signed_at - receipts.issued_at)::float8 * 1000 as ms
      from receipts
      join log_leaves on log_leaves.entry = log_entry(receipts.jws)
      cross join lateral (
        select signed_at from log_checkpoints where size > log_leaves.idx order by size limit 1
      ) as checkpoint)
    select count(*)::int as receipts,
      percentile_cont(0.5) within group (order by ms) as p50_ms, percentile_cont(0.99) within group (order by ms) as p99_ms
    from delays`)
  const [{ receipts, p50_ms, p99_ms } = { receipts: 0, p50_ms: 0, p99_ms: 0 }] = rows
  const delay = { receipts, p50_ms: round(p50_ms), p99_ms: round(p99_ms) }
  console.log('\nFrom a stored receipt to its place in the signed log')
  console.table(delay)
  return delay
}
