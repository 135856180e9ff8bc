import type { Client } from '@temporalio/client'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../activities/config/config.ts'
import { listOpenActions } from '../activities/store/authority/actions.ts'
import { listOverdueDeliveries } from '../activities/store/callbacks/callback-deliveries.ts'
import { findHarnessRun, listOpenHarness } from '../activities/store/harness/runs.ts'
import { listRotatingRings } from '../activities/store/keys/key-rotations.ts'
import { listDuePayments } from '../activities/store/payments/payments.ts'
import { readPayout } from '../activities/store/payouts/payouts.ts'
import { listOpenTransfers } from '../activities/store/payouts/transfers.ts'
import { listOpenInvitations } from '../activities/store/pilots/invitations.ts'
import type { IdPage } from '../activities/store/postgres/db.ts'
import {
  findWorkflow,
  listBehindSchedules,
  markScheduled,
} from '../activities/store/production/customer-workflows.ts'
import type { Database } from '../activities/store/schema/schema.ts'
import { listOpenSubmissions } from '../activities/store/services/directory-submissions.ts'
import { listBehindMoney } from '../activities/store/tasks/task-credits.ts'
import { listAtWork } from '../activities/store/tasks/tasks.ts'
import { callbackWorkflowId } from '../workflows/callback/messages.ts'
import { endedByOthers } from '../workflows/task/attributes.ts'
import { endBroken } from './broken-runs.ts'
import { ensureCallback } from './callbacks.ts'
import { delegationWorkflowId, ensureDelegation } from './delegations.ts'
import { directoryWorkflowId, ensureDirectorySubmission } from './directories.ts'
import { ensureHarness, harnessWorkflowId } from './harness.ts'
import { ensureInvitation, invitationWorkflowId } from './invitations.ts'
import { keyRotationWorkflowId, wakeKeyRotation } from './key-rotations.ts'
import { ensurePayment, paymentWorkflowId } from './payments.ts'
import { wakePayout } from './payouts.ts'
import { notRunning } from './running.ts'
import { notifyTask, wakeTask } from './tasks.ts'
import { applySchedule } from './workflow-schedules.ts'

type ResumeDeps = { client: Client; db: Kysely<Database>; log: Logger }
type WithinGrace = ResumeDeps & { config: Pick<Config, 'SWEEP_GRACE_MS'> }
type OfEachSweep = ResumeDeps & { config: Pick<Config, 'SWEEP_EVERY_MS'> }

const PAGE = 100

/** Starts the settlement of due payments that have no running workflow. */
export async function resumePayments({ client, db, config }: OfEachSweep): Promise<void> {
  for await (const due of pages((page) => listDuePayments(db, config.SWEEP_EVERY_MS, page)))
    for (const paymentId of await notRunning(client, due, paymentWorkflowId))
      await ensurePayment(client, paymentId)
}

/** Starts the workflows of open transfers that have none. */
export async function resumeTransfers({ client, db, config, log }: OfEachSweep): Promise<void> {
  for await (const open of pages((page) => listOpenTransfers(db, config.SWEEP_EVERY_MS, page)))
    for (const payoutId of await notRunning(client, open)) {
      const record = await readPayout(db, payoutId)
      if (record === undefined) continue
      log.info({ payoutId }, 'picking up a payout whose workflow is not running')
      await wakePayout(client, record)
    }
}

/** Starts the workflows of tasks that advance by themselves and have none. */
export async function resumeTasks({ client, db, config, log }: WithinGrace): Promise<void> {
  const listTasks = (page: IdPage) => listAtWork(db, endedByOthers, config.SWEEP_GRACE_MS, page)
  for await (const taskIds of pages(listTasks))
    for (const taskId of await notRunning(client, taskIds)) {
      log.info({ taskId }, 'picking up a task whose workflow is not running')
      await wakeTask({ client, db }, taskId)
    }
}

/** Starts the delivery of overdue callbacks that have no running workflow. */
export async function resumeCallbacks({ client, db, config }: WithinGrace): Promise<void> {
  const listOverdue = (page: IdPage) => listOverdueDeliveries(db, config.SWEEP_GRACE_MS, page)
  for await (const overdue of pages(listOverdue))
    for (const deliveryId of await notRunning(client, overdue, callbackWorkflowId))
      await ensureCallback(client, deliveryId)
}

/** Starts the workflows of delegated actions that have not ended and have none. */
export async function resumeDelegations({ client, db, config }: OfEachSweep): Promise<void> {
  const listOpen = (page: IdPage) => listOpenActions(db, config.SWEEP_EVERY_MS, page)
  for await (const open of pages(listOpen))
    for (const actionId of await notRunning(client, open, delegationWorkflowId))
      await ensureDelegation(client, actionId)
}

/** Starts the workflows of tests of this service that have no outcome and none. */
export async function resumeHarness({ client, db, config }: WithinGrace): Promise<void> {
  for await (const open of pages((page) => listOpenHarness(db, config.SWEEP_GRACE_MS, page)))
    for (const testRunId of await notRunning(client, open, harnessWorkflowId)) {
      const test = await findHarnessRun(db, testRunId)
      if (test !== undefined) await ensureHarness(client, test)
    }
}

/** Starts the workflows of rotations of keys that are not done and have none. */
export async function resumeKeyRotations({ client, db }: ResumeDeps): Promise<void> {
  const open = await listRotatingRings(db)
  for (const ring of await notRunning(client, open, keyRotationWorkflowId))
    await wakeKeyRotation(client, ring)
}

/** Starts the workflows of submissions to directories that have not ended and have none. */
export async function resumeDirectories({ client, db, config }: OfEachSweep): Promise<void> {
  const listOpen = (page: IdPage) => listOpenSubmissions(db, config.SWEEP_EVERY_MS, page)
  for await (const open of pages(listOpen))
    for (const submissionId of await notRunning(client, open, directoryWorkflowId))
      await ensureDirectorySubmission(client, submissionId)
}

/** Starts the workflows of invitations that are not answered and have none. */
export async function resumeInvitations({ client, db }: ResumeDeps): Promise<void> {
  for await (const open of pages((page) => listOpenInvitations(db, page)))
    for (const pilotId of await notRunning(client, open, invitationWorkflowId))
      await ensureInvitation(client, pilotId)
}

/** Makes the schedules of customers' workflows what their rows say. */
export async function resumeSchedules({ client, db }: ResumeDeps): Promise<void> {
  for await (const behind of pages((page) => listBehindSchedules(db, page)))
    for (const workflowId of behind) {
      const workflow = await findWorkflow(db, workflowId)
      if (workflow === undefined) continue
      await applySchedule(client, workflow)
      await markScheduled(db, workflow)
    }
}

/** Ends the broken runs of payouts and tasks that have not changed for long; the next sweep then starts a new run. */
export async function endBrokenRuns({ client, db, config, log }: WithinGrace): Promise<void> {
  const idleMs = config.SWEEP_GRACE_MS
  const lists = [
    (page: IdPage) => listOpenTransfers(db, idleMs, page),
    (page: IdPage) => listAtWork(db, endedByOthers, idleMs, page),
  ]
  for (const list of lists)
    for await (const unchanged of pages(list))
      for (const workflowId of unchanged)
        if (await endBroken(client, workflowId))
          log.warn({ workflowId }, 'ended a run that could not continue')
}

/** Advances tasks whose money was stored by a process that did not notify them. */
export async function notifyTasksBehind({ client, db, log }: ResumeDeps): Promise<void> {
  for await (const taskIds of pages((page) => listBehindMoney(db, page)))
    for (const taskId of taskIds)
      await notifyTask({ client, db }, taskId).catch((error: unknown) =>
        log.warn({ taskId, error: String(error) }, 'the task is notified by the next sweep'),
      )
}

/** Pages of ids in their order, up to the first that is not full. */
async function* pages(list: (page: IdPage) => Promise<string[]>): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const ids = await list({ after, most: PAGE })
    yield ids
    after = ids[PAGE - 1]
  }
}
