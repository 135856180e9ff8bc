import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { WorkflowWatch } from '../activities/reconciliation/deps.ts'
import type { PayoutSnapshot } from '../workflows/payouts/activities.ts'
import { viewQuery } from '../workflows/payouts/messages.ts'
import type { Summary } from '../workflows/reconciliation/activities.ts'
import type { reconcile } from '../workflows/reconciliation/workflow.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { wakePayout } from './payouts.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { countPollers } from './readiness.ts'
import { joinsOpenRun } from './updates.ts'

/** With the first connection of a command on a busy machine. */
const POLLERS_WITHIN_MS = 5_000
const VIEW_MS = 3_000
/** The failed runs that one reconciliation reads; later ones read the rest. */
const FAILED_MAX = 1_000

/** Temporal as reconciliation sees it. */
export function watchWorkflows(client: Client): WorkflowWatch {
  return {
    see: async (workflowId) => {
      const status = await statusOf(client, workflowId)
      return { status, view: status === 'RUNNING' ? await viewOf(client, workflowId) : null }
    },
    failed: async () => {
      const query =
        "WorkflowType IN ('payout', 'payment') AND ExecutionStatus IN ('Failed', 'TimedOut')"
      const ids = new Set<string>()
      for await (const { workflowId } of client.workflow.list({ query })) {
        ids.add(workflowId)
        if (ids.size === FAILED_MAX) break
      }
      return [...ids]
    },
    show: async (record) => {
      const { transfer } = record
      if (transfer === undefined || transfer.status === 'final' || transfer.status === 'dead')
        return wakePayout(client, record)
      await client.workflow
        .getHandle(record.payout.payout_id)
        .signal(wakeSignal)
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error
        })
    },
  }
}

/** Compares everything now, or joins a comparison that is already running; throws if no worker serves the queue. */
export async function reconcileNow(client: Client): Promise<Summary> {
  if ((await countPollers(client, PAYOUTS_QUEUE, POLLERS_WITHIN_MS)) === 0)
    throw new Error(
      'no worker serves the queue payouts; start one, because workers do the comparison',
    )
  const handle = await client.workflow.start<typeof reconcile>('reconcile', {
    workflowId: 'reconciliation/all',
    taskQueue: PAYOUTS_QUEUE,
    args: [{ scope: 'all' }],
    ...joinsOpenRun,
    staticSummary: 'Reconciliation of everything, requested by an operator',
  })
  return handle.result()
}

async function statusOf(client: Client, workflowId: string): Promise<string> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NONE'
    throw error
  }
}

/** The payout as its run knows it; undefined if no worker answers in time, which proves nothing. */
export async function viewOf(
  client: Client,
  workflowId: string,
): Promise<PayoutSnapshot | null | undefined> {
  const asked = client.withDeadline(Date.now() + VIEW_MS, () =>
    client.workflow.getHandle(workflowId).query(viewQuery),
  )
  return asked.catch(() => undefined)
}

export const RECONCILIATION_SCHEDULE = 'reconciliation'

/**
 * Creates the schedule of reconciliation, or updates the interval and action of an existing one; a manual pause stays. Several
 * workers may do this at the same time. Two reconciliations of the schedule never overlap.
 */
export async function ensureReconciliationSchedule(client: Client, everyMs: number): Promise<void> {
  const plan = {
    spec: { intervals: [{ every: everyMs }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'reconcile',
      workflowId: 'reconciliation',
      taskQueue: PAYOUTS_QUEUE,
      args: [{ scope: 'changed' }] as Parameters<typeof reconcile>,
      staticSummary: 'Reconciliation of chain, rows, workflows and receipts',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' as const },
  }
  try {
    await client.schedule.create({ scheduleId: RECONCILIATION_SCHEDULE, ...plan })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await client.schedule
      .getHandle(RECONCILIATION_SCHEDULE)
      .update(({ state }) => ({ ...plan, state }))
  }
}
