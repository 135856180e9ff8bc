import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'

/** What one owner may have read within 24 hours: readings, and their bytes. */
export type ReadingBounds = { readonly readings: number; readonly bytes: number }
type Reading = { bytes: number; ageMs: number }

const DAY_MS = 24 * 3600 * 1000

/**
 * Milliseconds until an owner may begin a reading of so many bytes; 0 if it may now. The caller holds the owner's lock, so that
 * parallel calls count exactly.
 */
export async function readingWaitMs(
  tx: Tx,
  owner: string,
  bytes: number,
  bounds: ReadingBounds,
): Promise<number> {
  const { rows } = await sql<{ bytes: string; age_ms: number }>`
    select bytes, (extract(epoch from clock_timestamp() - began_at) * 1000)::float8 as age_ms
    from upload_readings where owner = ${owner} and began_at > clock_timestamp() - interval '1 day'
    order by began_at`.execute(tx)
  const past = rows.map((row) => ({ bytes: Number(row.bytes), ageMs: row.age_ms }))
  return waitMs(past, bytes, bounds)
}

/** Milliseconds until enough of the past readings, oldest first, are a day old; a day for more bytes than are ever allowed. */
export function waitMs(past: readonly Reading[], bytes: number, bounds: ReadingBounds): number {
  let [readings, sum] = [past.length, past.reduce((total, one) => total + one.bytes, 0)]
  const fits = () => readings < bounds.readings && sum + bytes <= bounds.bytes
  if (fits()) return 0
  for (const { bytes: gone, ageMs } of past) {
    readings -= 1
    sum -= gone
    if (fits()) return Math.max(1, Math.ceil(DAY_MS - ageMs))
  }
  return DAY_MS
}

/** Counts the reading of a check that has just begun. */
export async function countReading(tx: Tx, checkId: string, bytes: number): Promise<void> {
  await sql`insert into upload_readings (check_id, owner, bytes, began_at)
    select check_id, owner, ${bytes}, began_at from upload_checks where check_id = ${checkId}`.execute(
    tx,
  )
}

/** Removes the readings that count no more. */
export async function forgetReadings(tx: Tx): Promise<void> {
  await sql`delete from upload_readings where began_at < clock_timestamp() - interval '1 day'`.execute(
    tx,
  )
}
