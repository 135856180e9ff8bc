import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { limits } from '#domain/core/limits.ts'
import { releaseUnused } from '../authority/firing-charge.ts'
import type { Config } from '../config/config.ts'
import type { MoneyDeps } from '../credit/deps.ts'
import { applyEvent } from '../credit/provider-events.ts'
import { verifyReference } from '../credit/verify-reference.ts'
import { removeExpiredDrafts } from '../store/authority/mandates.ts'
import { forgetPosts } from '../store/callbacks/callback-posts.ts'
import { listAbandonedCalls, releaseCall } from '../store/calls/calls.ts'
import { lockCaller } from '../store/calls/grants.ts'
import { creditUndelivered, listUndelivered } from '../store/calls/undelivered.ts'
import { forgetWindows } from '../store/calls/window-counts.ts'
import { listDueLoops, type ProofLoopRow, setProofDue } from '../store/commerce/proof-loops.ts'
import { listOpenEvents } from '../store/credit/provider-events.ts'
import { removeUnused } from '../store/inputs/agent-inputs.ts'
import { forgetReadings } from '../store/inputs/upload-readings.ts'
import { listDueReferences } from '../store/payments/payment-references.ts'
import { transaction } from '../store/postgres/db.ts'
import { listUnreleased } from '../store/production/firing-charges.ts'
import type { Database } from '../store/schema/schema.ts'
import { listUndecided } from '../store/work-orders/work-orders.ts'
import type { TaskDeps } from '../tasks/deps.ts'
import { closeLapsed, rejectLapsed } from '../tasks/order-lapse.ts'

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

/** One that fails lets the others go first. */
const AGAIN_SECONDS = 600

/** Has the packages of closed loops proven. */
export async function proveLoops(
  db: Kysely<Database>,
  log: Logger,
  prove: (loop: ProofLoopRow) => Promise<void>,
): Promise<void> {
  for (const loop of await listDueLoops(db, PAGE))
    await prove(loop).catch(async (error: unknown) => {
      const { task_id } = loop
      log.warn({ task_id, error: String(error) }, 'a later sweep proves this package')
      await setProofDue(db, task_id, AGAIN_SECONDS)
    })
}

/** Applies provider events whose process died after it had stored them. */
export async function applyEvents(money: MoneyDeps, log: Logger, graceMs: number): Promise<void> {
  for (const key of await listOpenEvents(money.db, graceMs, PAGE))
    await logFailure(log, applyEvent(money, key), key)
}

/** Verifies due payments for which no call asks any more. */
export async function verifyDue(money: MoneyDeps, log: Logger, graceMs: number): Promise<void> {
  for (const reference of await listDueReferences(money.db, graceMs, PAGE))
    await logFailure(log, verifyReference(money, reference), reference)
}

/** One that fails does not stop the others; the next sweep retries it. */
async function logFailure(log: Logger, done: Promise<unknown>, item: unknown): Promise<void> {
  await done.catch((error: unknown) =>
    log.warn({ item, error: String(error) }, 'the next sweep retries this payment'),
  )
}

/** Closes public orders that were not decided in time. Each is rejected after its tasks were woken, so a repeat wakes them again. */
export async function closeUndecided(
  tasks: TaskDeps,
  keepMs: number,
  wakeTask: (taskId: string) => Promise<unknown>,
): Promise<void> {
  const { db } = tasks
  for (const workOrderId of await listUndecided(db, keepMs, PAGE)) {
    const closed = await transaction(db, (tx) => closeLapsed(tasks, tx, workOrderId))
    if (closed === undefined) continue
    for (const taskId of closed) await wakeTask(taskId)
    await transaction(db, (tx) => rejectLapsed(tx, workOrderId))
  }
}
