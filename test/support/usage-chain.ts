import { type UsageEvent, usageEventHash } from '#domain/credit/usage-event.ts'
import {
  findUsageEvent,
  type StoredUsageEvent,
} from '../../activities/store/credit/usage-events.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'

/** The place at which a chain, oldest first and from its beginning, is broken; undefined where it is whole. */
export function brokenAt(chain: readonly (UsageEvent & { hash: string })[]): number | undefined {
  const at = chain.findIndex(
    ({ hash, ...event }, index) =>
      event.sequence !== index ||
      event.prev_hash !== (chain[index - 1]?.hash ?? null) ||
      hash !== usageEventHash(event),
  )
  return at < 0 ? undefined : at
}

/** A chain, oldest event first. */
export async function listUsageEvents(tx: Tx, chain: string): Promise<StoredUsageEvent[]> {
  const ids = await tx
    .selectFrom('usage_events')
    .select('event_id')
    .where('chain', '=', chain)
    .orderBy('sequence')
    .execute()
  const events = await Promise.all(ids.map(({ event_id }) => findUsageEvent(tx, event_id)))
  return events.filter((event) => event !== undefined)
}
