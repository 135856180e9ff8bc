import { CompiledQuery, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'

/** What is counted for a key in its present window; `left_ms` is what is left of that. */
export type WindowCount = { readonly points: number; readonly left_ms: number }
/** Keys of failed attempts begin so. */
export const FAILED = 'failed:'

type KeyCount = WindowCount & { readonly key: string }

const LEFT_MS =
  'greatest(1, ceil(extract(epoch from window_ends_at - clock_timestamp()) * 1000))::int as left_ms'

/**
 * Counts points for keys, and answers what their windows hold now. A window starts with its first count, and its time is that of
 * Postgres, so that a process with a wrong clock leaves no limit behind.
 */
const COUNT = `insert into window_counts as counted (key, points, window_ends_at)
  select key, points, clock_timestamp() + $3 * interval '1 second' from unnest($1::text[], $2::integer[]) as asked (key, points)
  on conflict (key) do update set
    points = excluded.points + case when counted.window_ends_at <= clock_timestamp() then 0 else counted.points end,
    window_ends_at = case when counted.window_ends_at <= clock_timestamp()
      then excluded.window_ends_at else counted.window_ends_at end
  returning key, points, ${LEFT_MS}`

/** The statement that counts, for a client of Postgres. Keys are in one order, so that two counts wait and never deadlock. */
export function countStatement(counts: ReadonlyMap<string, number>, windowSeconds: number) {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  const keys = sorted.map(([key]) => key)
  const points = sorted.map(([, count]) => count)
  return { name: 'count_in_windows', text: COUNT, values: [keys, points, windowSeconds] }
}

/** Counts points for each key; exact over all processes. */
export async function countInWindows(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
  windowSeconds: number,
): Promise<Map<string, WindowCount>> {
  const { text, values } = countStatement(counts, windowSeconds)
  const { rows } = await tx.executeQuery<KeyCount>(CompiledQuery.raw(text, values))
  return byKey(rows)
}

/** The counts of each key, without those that have none. */
export async function readWindows(
  tx: Tx,
  keys: readonly string[],
): Promise<Map<string, WindowCount>> {
  const { rows } = await sql<KeyCount>`select key, points, ${sql.raw(LEFT_MS)}
    from window_counts where key = any(${[...keys]}) and window_ends_at > clock_timestamp()`.execute(
    tx,
  )
  return byKey(rows)
}

const byKey = (rows: readonly KeyCount[]): Map<string, WindowCount> =>
  new Map(rows.map(({ key, ...counted }) => [key, counted]))

/** Removes the windows that ended an hour ago. */
export async function forgetWindows(tx: Tx, most: number): Promise<void> {
  await sql`delete from window_counts where key in (
    select key from window_counts where window_ends_at < clock_timestamp() - interval '1 hour'
    order by window_ends_at limit ${most} for update skip locked)`.execute(tx)
}
