import type { Client } from '@temporalio/client'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../activities/config/config.ts'
import { findHarnessRun } from '../activities/store/harness/runs.ts'
import { readPayout } from '../activities/store/payouts/payouts.ts'
import {
  findFiredWorkflow,
  findWorkflow,
  markScheduled,
} from '../activities/store/production/customer-workflows.ts'
import {
  type Claimed,
  claimWakes,
  type LateSubject,
  returnWake,
  type TargetAges,
} from '../activities/store/recovery/late-rows.ts'
import { findRun } from '../activities/store/runs/runs.ts'
import type { Database } from '../activities/store/schema/schema.ts'
import { endBroken, isFailing } from './broken-runs.ts'
import { callbackWorkflowId, wakeCallback } from './callbacks.ts'
import { invitationWorkflowId, wakeInvitation } from './invitations.ts'
import { wakePayout } from './payouts.ts'
import { wakeRun } from './runs.ts'
import { reloadTask } from './tasks.ts'
import { NOTIFY_MS } from './updates.ts'
import { applySchedule, ensureFiring, workflowScheduleId } from './workflow-schedules.ts'
import {
  delegationWorkflowId,
  directoryWorkflowId,
  ensureDelegation,
  ensureDirectorySubmission,
  ensureHarness,
  ensurePayment,
  harnessWorkflowId,
  keyRotationWorkflowId,
  paymentWorkflowId,
  wakeKeyRotation,
} from './workflow-starts.ts'

export type WakeDeps = { client: Client; db: Kysely<Database> }

type Entry = {
  /** What carries the row on. */
  readonly workflowId: (id: string) => string
  /** Makes the workflow read its row and continue, in a new run if none is open; a row that is gone needs nothing. */
  readonly wake: (deps: WakeDeps, id: string) => Promise<void>
  /** What a late row waits for. */
  readonly missing: string
}

/**
 * What is carried on by a workflow, and how it is woken whether or not a run is open: a run may have lost what it knew. Which rows are
 * open, and for how long, is in `activities/store/recovery/late-rows.ts`.
 */
export const wakes: Readonly<Record<LateSubject, Entry>> = {
  payout: {
    workflowId: (id) => id,
    wake: async ({ client, db }, id) => {
      const record = await readPayout(db, id)
      if (record !== undefined) await wakePayout(client, record)
    },
    missing: 'the outcome of its transfer',
  },
  payment: {
    workflowId: paymentWorkflowId,
    wake: ({ client }, id) => ensurePayment(client, id),
    missing: 'the settlement of the payment on chain',
  },
  task: {
    workflowId: (id) => id,
    wake: reloadTask,
    missing: 'the next transition of the task',
  },
  run: {
    workflowId: (id) => id,
    wake: async (deps, id) => {
      const run = await findRun(deps.db, id)
      if (run === undefined) return
      await reloadTask(deps, run.task_id)
      await wakeRun(deps.client, id)
    },
    missing: 'the next step of the run',
  },
  callback: {
    workflowId: callbackWorkflowId,
    wake: ({ client }, id) => wakeCallback(client, id),
    missing: 'the attempt that is due',
  },
  delegation: {
    workflowId: delegationWorkflowId,
    wake: ({ client }, id) => ensureDelegation(client, id),
    missing: 'the outcome of the delegated action',
  },
  schedule: {
    workflowId: workflowScheduleId,
    wake: async ({ client, db }, id) => {
      const workflow = await findWorkflow(db, id)
      if (workflow === undefined) return
      await applySchedule(client, workflow)
      await markScheduled(db, workflow)
    },
    missing: 'its schedule in Temporal',
  },
  firing: {
    workflowId: (id) => id,
    wake: async ({ client, db }, id) => {
      const workflow = await findFiredWorkflow(db, id)
      if (workflow !== undefined) await ensureFiring(client, workflow, id)
    },
    missing: 'the run that it starts, or its refusal',
  },
  invitation: {
    workflowId: invitationWorkflowId,
    wake: ({ client }, id) => wakeInvitation(client, id),
    missing: 'the reminder or the end of the invitation',
  },
  key_rotation: {
    workflowId: keyRotationWorkflowId,
    wake: ({ client }, id) => wakeKeyRotation(client, id),
    missing: 'the step of the rotation that is due',
  },
  directory: {
    workflowId: directoryWorkflowId,
    wake: ({ client }, id) => ensureDirectorySubmission(client, id),
    missing: 'the attempt that is due',
  },
  harness: {
    workflowId: harnessWorkflowId,
    wake: async ({ client, db }, id) => {
      const test = await findHarnessRun(db, id)
      if (test !== undefined) await ensureHarness(client, test)
    },
    missing: 'the end of the test',
  },
}

/** A local block is final within seconds, one of a public chain after some twenty minutes. */
const FINAL_MS = 1_800_000

/** The target ages of this configuration. */
export const targetAges = ({
  LATE_AFTER_MS: unitMs,
  ENVIRONMENT,
}: Pick<Config, 'LATE_AFTER_MS' | 'ENVIRONMENT'>): TargetAges => ({
  unitMs,
  finalMs: ENVIRONMENT === 'local' ? unitMs * 6 : FINAL_MS,
})

type SweepDeps = WakeDeps & {
  log: Logger
  config: Pick<Config, 'LATE_AFTER_MS' | 'ENVIRONMENT' | 'SWEEP_EVERY_MS'>
}

/** The most wakes in a second, over all workers. */
const WAKES_A_SECOND = 20

/** After so many failed wakes in a row, Temporal is taken to be away. */
const FAILURES_MAX = 3

/**
 * Wakes the rows whose wake is due. A row that cannot be woken keeps its growing distance, so that it does not hold up the others; where
 * none can be, the claims are given back.
 */
export async function wakeLate(deps: SweepDeps): Promise<void> {
  const { db, config, log } = deps
  const ages = targetAges(config)
  const withinMs = config.SWEEP_EVERY_MS
  const most = Math.max(1, Math.round((WAKES_A_SECOND * withinMs) / 1_000))
  const left: Claimed[] = []
  const failed: Claimed[] = []
  let hasWoken = false
  let inARow = 0
  let lastError: unknown
  for (const row of await claimWakes(db, ages, { most, withinMs })) {
    if (inARow === FAILURES_MAX) {
      left.push(row)
      continue
    }
    try {
      await wakeOne(deps, row)
      hasWoken = true
      inARow = 0
    } catch (error) {
      const { subject, id } = row
      log.warn({ subject, id, error: String(error) }, 'a late row could not be woken')
      failed.push(row)
      inARow += 1
      lastError = error
    }
  }
  const isAway = failed.length > 0 && !hasWoken
  if (isAway) left.push(...failed)
  for (const row of left) await returnWake(db, ages, row)
  if (isAway) throw lastError
}

/** A run that cannot continue is ended first, once a wake has not helped. */
async function wakeOne({ client, db, log }: SweepDeps, row: Claimed): Promise<void> {
  const { subject, id, state, since, attempts } = row
  const { wake, workflowId } = wakes[subject]
  log.info({ subject, id, state, since, attempts }, 'waking a row that is older than its target')
  await client.withDeadline(Date.now() + NOTIFY_MS, async () => {
    if (attempts > 1 && subject !== 'schedule') {
      if (await endBroken(client, workflowId(id)))
        log.warn({ subject, id }, 'ended a run that could not continue')
      else if (await isFailing(client, workflowId(id))) return
    }
    await wake({ client, db }, id)
  })
}

/** Wakes one row at once and never fails: a worker wakes it again while it is late. */
export const notifyRow = (deps: WakeDeps, subject: LateSubject, id: string): Promise<void> =>
  deps.client
    .withDeadline(Date.now() + NOTIFY_MS, () => wakes[subject].wake(deps, id))
    .catch(() => undefined)
