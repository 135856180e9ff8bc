import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client'
import type { reconcile } from '../workflows/reconciliation/workflow.ts'
import { PAYOUTS_QUEUE } from './queues.ts'

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
