import type { Kysely } from 'kysely'
import { limits } from '#domain/core/limits.ts'
import { releaseUnused } from '../authority/released.ts'
import type { Config } from '../config/config.ts'
import { removeExpiredDrafts } from '../store/authority/mandates.ts'
import { forgetPosts } from '../store/callbacks/callback-posts.ts'
import { listAbandonedCalls, releaseCall } from '../store/calls/calls.ts'
import { lockCaller } from '../store/calls/grants.ts'
import { creditUndelivered, listUndelivered } from '../store/calls/undelivered.ts'
import { forgetWindows } from '../store/calls/window-counts.ts'
import { removeUnused } from '../store/inputs/agent-inputs.ts'
import { forgetReadings } from '../store/inputs/upload-readings.ts'
import { transaction } from '../store/postgres/db.ts'
import { listUnreleased } from '../store/production/firing-charges.ts'
import type { Database } from '../store/schema/schema.ts'

/** How many rows one sweep changes at most. */
const PAGE = 100
/** Each caller and address has a few of them. */
const COUNTS_PER_SWEEP = 1_000
/** Each input may have hundreds of megabytes to remove. */
const INPUTS_PER_SWEEP = 2

/** Releases calls that a dead process left without an effect. */
export async function releaseAbandoned(db: Kysely<Database>, graceMs: number): Promise<void> {
  for (const callId of await listAbandonedCalls(db, graceMs, PAGE))
    await transaction(db, (tx) => releaseCall(tx, callId))
}

/** Turns charges for answers that can no longer be fetched into credits. */
export async function returnUndelivered(db: Kysely<Database>): Promise<void> {
  for (const { caller, call_id } of await listUndelivered(db, PAGE))
    await transaction(db, async (tx) => {
      await lockCaller(caller).run(tx)
      await creditUndelivered(tx, call_id)
    })
}

/** Gives back what mandates that have ended had used for workflows without a run. */
export async function releaseOfEnded(db: Kysely<Database>): Promise<void> {
  for (const mandateId of await listUnreleased(db, PAGE))
    await transaction(db, (tx) => releaseUnused(tx, mandateId))
}

/** Removes uploads that are no longer kept. */
export async function removeInputs(
  db: Kysely<Database>,
  {
    INPUT_KEEP_MS: keepMs,
    INPUT_KEEP_SANDBOX_MS: sandboxKeepMs,
  }: Pick<Config, 'INPUT_KEEP_MS' | 'INPUT_KEEP_SANDBOX_MS'>,
): Promise<void> {
  const abandonedMs = Math.min(limits.inputUploadMsMax, keepMs, sandboxKeepMs)
  await removeUnused(db, { keepMs, sandboxKeepMs, abandonedMs, most: INPUTS_PER_SWEEP })
}

/** Removes the counts of limits, failed attempts, callback posts and readings, and the drafts of mandates, whose time is over. */
export async function forgetCounts(db: Kysely<Database>): Promise<void> {
  await removeExpiredDrafts(db)
  await forgetWindows(db, COUNTS_PER_SWEEP)
  await forgetPosts(db)
  await forgetReadings(db)
}
