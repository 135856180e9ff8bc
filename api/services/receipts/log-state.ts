import { setTimeout as sleep } from 'node:timers/promises'
import { refuse } from '#domain/core/errors.ts'
import { entryOf } from '#domain/log/bundle.ts'
import type { LogState } from '#domain/receipts/receipt.ts'
import { findPlace, type LogPlace } from '../../../activities/store/log/leaves.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'

export type LogStanding = {
  log_state: LogState
  leaf_index: number | null
  tree_size: number | null
}

const WAIT_MS = 1_000
const EVERY_MS = 50
/** A receipt that waits for longer is not in the log, whatever the queue says. */
const PENDING_MS = 60_000

/**
 * Looks a receipt up in the log, or in its tree of `size` leaves, and waits up to 1 s for one that is queued. Throws 404
 * `not_found` for a tree that the log has not reached.
 */
export async function lookUpInLog(db: Tx, jws: string, size?: number): Promise<LogStanding> {
  const entry = Buffer.from(entryOf(jws))
  const deadline = Date.now() + WAIT_MS
  let place = await findPlace(db, entry)
  while (place.index === null && place.queuedAt !== null && Date.now() < deadline) {
    await sleep(EVERY_MS)
    place = await findPlace(db, entry)
  }
  return standingOf(place, size)
}

/** Where a receipt stands in the log now. */
export const standingInLog = async (tx: Tx, jws: string): Promise<LogStanding> =>
  standingOf(await findPlace(tx, Buffer.from(entryOf(jws))))

function standingOf({ index, queuedAt, size }: LogPlace, asked = size): LogStanding {
  if (asked > size)
    throw refuse('not_found', {
      detail: `the log has no tree of ${asked} leaves`,
      next_action: 'Ask for a tree that the log has reached.',
    })
  if (index !== null && index < asked)
    return { log_state: 'included', leaf_index: index, tree_size: asked }
  const isPending = queuedAt !== null && Date.now() - queuedAt.getTime() <= PENDING_MS
  return { log_state: isPending ? 'pending' : 'absent', leaf_index: null, tree_size: asked }
}

export const logDetails: Record<LogState, string> = {
  included: 'it is in the log',
  pending: 'it waits for its place in the log: ask again in a second',
  absent: 'it is not in the log',
  exempt: 'a sample is not logged',
  not_checked: 'it was not looked up, because its signature does not verify',
}
