import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'

/** Attempts that failed in the present window; `leftMs` is what is left of it. */
export type Failures = { failures: number; leftMs: number }

const leftMs = sql`extract(epoch from window_ends_at - clock_timestamp())::float8 * 1000`

/** The failed attempts of each subject, without those that have none; exact over all processes. */
export async function readFailures(
  tx: Tx,
  subjects: readonly string[],
): Promise<Map<string, Failures>> {
  const { rows } = await sql<Failures & { subject: string }>`
    select subject, failures, ${leftMs} as "leftMs"
    from failed_attempts where subject = any(${[...subjects]}) and window_ends_at > clock_timestamp()`.execute(
    tx,
  )
  return bySubject(rows)
}

/** Counts these failed attempts for each subject and returns the new counts. A window starts with the first failure. */
export async function countFailures(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
  windowSeconds: number,
): Promise<Map<string, Failures>> {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  const [subjects, failures] = [
    sorted.map(([subject]) => subject),
    sorted.map(([, count]) => count),
  ]
  const { rows } = await sql<Failures & { subject: string }>`
    insert into failed_attempts as f (subject, failures, window_ends_at)
    select subject, failures, clock_timestamp() + ${windowSeconds} * interval '1 second'
    from unnest(${subjects}::text[], ${failures}::integer[]) as counted (subject, failures)
    on conflict (subject) do update set
      failures = excluded.failures + case when f.window_ends_at <= clock_timestamp() then 0 else f.failures end,
      window_ends_at = case when f.window_ends_at <= clock_timestamp() then excluded.window_ends_at else f.window_ends_at end
    returning subject, failures, ${leftMs} as "leftMs"`.execute(tx)
  return bySubject(rows)
}

const bySubject = (rows: readonly (Failures & { subject: string })[]): Map<string, Failures> =>
  new Map(rows.map(({ subject, ...counted }) => [subject, counted]))

/** Deletes windows that ended an hour ago. */
export async function forgetFailures(tx: Tx, most: number): Promise<void> {
  await sql`
    delete from failed_attempts where subject in (
      select subject from failed_attempts where window_ends_at < clock_timestamp() - interval '1 hour'
      limit ${most} for update skip locked)`.execute(tx)
}
