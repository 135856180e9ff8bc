import { sql } from 'kysely'
import type { Tx } from './db.ts'

/** Attempts that failed in the present window; `leftMs` is what is left of it. */
export type Failures = { failures: number; leftMs: number }

/** The failed attempts of each subject, in the order asked; exact over all processes. */
export async function readFailures(tx: Tx, subjects: readonly string[]): Promise<Failures[]> {
  const { rows } = await sql<Failures & { subject: string }>`
    select subject, failures, extract(epoch from window_ends_at - clock_timestamp())::float8 * 1000 as "leftMs"
    from failed_attempts where subject = any(${[...subjects]}) and window_ends_at > clock_timestamp()`.execute(tx)
  return subjects.map((subject) => rows.find((row) => row.subject === subject) ?? { failures: 0, leftMs: 0 })
}

/** Counts a failed attempt for each subject; a window begins with the first failure. Windows that are over are forgotten. */
export async function countFailure(tx: Tx, subjects: readonly string[], windowSeconds: number): Promise<void> {
  const sorted = [...new Set(subjects)].sort()
  await sql`
    insert into failed_attempts as f (subject, failures, window_ends_at)
    select subject, 1, clock_timestamp() + ${windowSeconds} * interval '1 second' from unnest(${sorted}::text[]) as subject
    on conflict (subject) do update set
      failures = case when f.window_ends_at <= clock_timestamp() then 1 else f.failures + 1 end,
      window_ends_at = case when f.window_ends_at <= clock_timestamp() then excluded.window_ends_at else f.window_ends_at end`.execute(
    tx,
  )
  await sql`
    delete from failed_attempts where subject in (
      select subject from failed_attempts where window_ends_at < clock_timestamp() - interval '1 hour'
      limit 100 for update skip locked)`.execute(tx)
}
