import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../activities/config.ts'
import type { MoneyDeps } from '../activities/money/deps.ts'
import { removeUnused } from '../activities/store/agent-inputs.ts'
import { listOverdueDeliveries } from '../activities/store/callback-deliveries.ts'
import { forgetPosts } from '../activities/store/callback-posts.ts'
import { listAbandonedCalls, releaseCall } from '../activities/store/calls.ts'
import { type IdPage, transaction } from '../activities/store/db.ts'
import { forgetFailures } from '../activities/store/failed-attempts.ts'
import { lockCaller } from '../activities/store/grants.ts'
import { listDuePayments } from '../activities/store/payments.ts'
import { readPayout } from '../activities/store/payouts.ts'
import { send } from '../activities/store/pipeline.ts'
import type { Database } from '../activities/store/schema.ts'
import { listAtWork } from '../activities/store/tasks.ts'
import { listOpenTransfers } from '../activities/store/transfers.ts'
import { creditUndelivered, listUndelivered } from '../activities/store/undelivered.ts'
import { listUndecided } from '../activities/store/work-orders.ts'
import type { TaskDeps } from '../activities/tasks/deps.ts'
import { closeLapsed, rejectLapsed } from '../activities/work-orders/lapse.ts'
import { callbackWorkflowId } from '../workflows/callback/messages.ts'
import { limits } from '../workflows/domain/limits.ts'
import { endedByOthers } from '../workflows/search-attributes.ts'
import { endBroken } from './broken-runs.ts'
import { ensureCallback } from './callbacks.ts'
import { applyEvents, tellTasksBehind, verifyDue } from './money-sweep.ts'
import { ensurePayment, notRunning, paymentWorkflowId } from './payments.ts'
import { wakePayout } from './payouts.ts'
import { wakeTask } from './tasks.ts'

export type SweeperDeps = {
  client: Client
  db: Kysely<Database>
  log: Logger
  config: Pick<
    Config,
    'SWEEP_EVERY_MS' | 'SWEEP_GRACE_MS' | 'INPUT_KEEP_MS' | 'INPUT_KEEP_SANDBOX_MS' | 'WORK_ORDER_KEEP_MS'
  >
  maintainLane: () => Promise<void>
  money: MoneyDeps
  tasks: TaskDeps
}

type GraceDeps = Pick<SweeperDeps, 'client' | 'db' | 'log'> & { config: Pick<Config, 'SWEEP_GRACE_MS'> }

const PAGE = 100
/** Each may have hundreds of megabytes to remove. */
const INPUTS_AT_ONCE = 2

/**
 * Brings home what a dead process left behind: calls without an effect are released, settlements, transfers, callbacks and tasks
 * without a running workflow get one, payments are found out, and tasks hear of their money. Removes uploads that are no longer
 * kept, and closes public orders that were not decided. Every worker runs it; each act is idempotent, so several at once are harmless. Each job has a loop of its own: the gas
 * wallets are looked after while Temporal is slow or down.
 */
export function startSweeper(deps: SweeperDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  // Each loop listens while it sleeps.
  setMaxListeners(0, stopping.signal)
  const { SWEEP_EVERY_MS, SWEEP_GRACE_MS } = deps.config
  const repeat = async (job: (deps: SweeperDeps) => Promise<void>, everyMs = SWEEP_EVERY_MS) => {
    while (!stopping.signal.aborted) {
      await job(deps).catch((error: unknown) =>
        deps.log.warn({ job: job.name, error: String(error) }, 'sweep failed; it is repeated'),
      )
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const others = [
    releaseAbandoned,
    returnUndelivered,
    settleDue,
    resumeTransfers,
    resumeCallbacks,
    removeInputs,
    forgetCounts,
    closeUndecided,
    maintainLane,
  ]
  const loops = [...others, applyEvents, verifyDue, tellTasksBehind].map((job) => repeat(job))
  // Thousands may be at work, and Temporal is asked about each.
  loops.push(repeat(resumeTasks, SWEEP_GRACE_MS), repeat(endBrokenRuns, SWEEP_GRACE_MS))
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function releaseAbandoned({ db, config }: SweeperDeps): Promise<void> {
  for (const callId of await listAbandonedCalls(db, config.SWEEP_GRACE_MS, PAGE)) {
    await transaction(db, (tx) => releaseCall(tx, callId))
  }
}

/** Charges for answers that cannot be asked for any more become credits. */
async function returnUndelivered({ db }: SweeperDeps): Promise<void> {
  for (const { caller, call_id } of await listUndelivered(db, PAGE))
    await transaction(db, async (tx) => {
      await send(tx, lockCaller(caller))
      await creditUndelivered(tx, call_id)
    })
}

async function settleDue({ client, db, config }: SweeperDeps): Promise<void> {
  for await (const due of pages((page) => listDuePayments(db, config.SWEEP_EVERY_MS, page)))
    for (const paymentId of await notRunning(client, due, paymentWorkflowId)) await ensurePayment(client, paymentId)
}

async function resumeTransfers({ client, db, config, log }: SweeperDeps): Promise<void> {
  for await (const open of pages((page) => listOpenTransfers(db, config.SWEEP_EVERY_MS, page)))
    for (const payoutId of await notRunning(client, open)) {
      const record = await readPayout(db, payoutId)
      if (record === undefined) continue
      log.info({ payoutId }, 'picking up a payout whose workflow is not running')
      await wakePayout(client, record)
    }
}

/** Tasks that go on by themselves get a workflow again where theirs was ended by hand. */
export async function resumeTasks({ client, db, config, log }: GraceDeps): Promise<void> {
  for await (const left of pages((page) => listAtWork(db, endedByOthers, config.SWEEP_GRACE_MS, page)))
    for (const taskId of await notRunning(client, left)) {
      log.info({ taskId }, 'picking up a task whose workflow is not running')
      await wakeTask({ client, db }, taskId)
    }
}

/** Of payouts and tasks that have not moved for long, the runs that cannot go on; then they are without one, and get another. */
export async function endBrokenRuns({ client, db, config, log }: GraceDeps): Promise<void> {
  const idleMs = config.SWEEP_GRACE_MS
  const lists = [
    (page: IdPage) => listOpenTransfers(db, idleMs, page),
    (page: IdPage) => listAtWork(db, endedByOthers, idleMs, page),
  ]
  for (const list of lists)
    for await (const still of pages(list))
      for (const workflowId of still)
        if (await endBroken(client, workflowId)) log.warn({ workflowId }, 'ended a run that could not go on')
}

async function resumeCallbacks({ client, db, config }: SweeperDeps): Promise<void> {
  for await (const overdue of pages((page) => listOverdueDeliveries(db, config.SWEEP_GRACE_MS, page)))
    for (const deliveryId of await notRunning(client, overdue, callbackWorkflowId))
      await ensureCallback(client, deliveryId)
}

async function removeInputs({ db, config }: SweeperDeps): Promise<void> {
  const { INPUT_KEEP_MS: keepMs, INPUT_KEEP_SANDBOX_MS: sandboxKeepMs } = config
  const abandonedMs = Math.min(limits.inputUploadMsMax, keepMs, sandboxKeepMs)
  await removeUnused(db, { keepMs, sandboxKeepMs, abandonedMs, most: INPUTS_AT_ONCE })
}

/** Public orders that were not decided in time. Each is rejected after its tasks were woken, so that a repeat wakes them again. */
export async function closeUndecided({
  client,
  db,
  config,
  tasks,
}: Pick<SweeperDeps, 'client' | 'db' | 'tasks'> & { config: Pick<Config, 'WORK_ORDER_KEEP_MS'> }): Promise<void> {
  for (const workOrderId of await listUndecided(db, config.WORK_ORDER_KEEP_MS, PAGE)) {
    const closed = await transaction(db, (tx) => closeLapsed(tasks, tx, workOrderId))
    if (closed === undefined) continue
    for (const taskId of closed) await wakeTask({ client, db }, taskId)
    await transaction(db, (tx) => rejectLapsed(tx, workOrderId))
  }
}

async function forgetCounts({ db }: SweeperDeps): Promise<void> {
  await forgetFailures(db, PAGE)
  await forgetPosts(db)
}

/** Pages of ids in their order, up to the first that is not full. */
async function* pages(list: (page: IdPage) => Promise<string[]>): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const ids = await list({ after, most: PAGE })
    yield ids
    after = ids[PAGE - 1]
  }
}

const maintainLane = (deps: SweeperDeps): Promise<void> => deps.maintainLane()
