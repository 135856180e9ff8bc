import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { calendarOf } from '#domain/production/customer-workflow.ts'
import type { CustomerWorkflowRow } from '../activities/store/production/customer-workflows.ts'
import type { workflowFiring } from '../workflows/firing/workflow.ts'
import { TASKS_QUEUE } from './queues.ts'
import { joinsOpenRun, NOTIFY_MS } from './updates.ts'

export const workflowScheduleId = (workflowId: string): string => `workflow-${workflowId}`

const actionOf = ({ workflow_id, rail }: Pick<CustomerWorkflowRow, 'workflow_id' | 'rail'>) => ({
  workflowId: `firing-${workflow_id}`,
  taskQueue: TASKS_QUEUE,
  args: [workflow_id] as Parameters<typeof workflowFiring>,
  staticSummary: `Firing of a ${rail} workflow`,
})

/**
 * Makes the schedule of a workflow what its row says: created, paused, resumed or deleted. May be done twice. What was due while
 * Temporal was down fires once it is back, up to a day late, one after another.
 */
export async function applySchedule(client: Client, workflow: CustomerWorkflowRow): Promise<void> {
  const scheduleId = workflowScheduleId(workflow.workflow_id)
  const { cadence, created_at, state } = workflow
  const calendar = calendarOf(cadence, created_at)
  if (calendar === null) return
  const handle = client.schedule.getHandle(scheduleId)
  if (state === 'deleted') return handle.delete().catch(unlessMissing)
  const paused = state !== 'active'
  const plan = {
    spec: { calendars: [calendar] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'workflowFiring',
      ...actionOf(workflow),
    },
    policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: '1 day' as const },
  }
  try {
    await client.schedule.create({ scheduleId, ...plan, state: { paused } })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await handle.update((known) => ({ ...plan, state: { ...known.state, paused } }))
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof ScheduleNotFoundError)) throw error
}

/** Starts one firing that its agent asks for, or finds it; `name` is that of the call. */
export async function startFiring(
  client: Client,
  workflow: Pick<CustomerWorkflowRow, 'workflow_id' | 'rail'>,
  name: string,
): Promise<string> {
  const firing = `${actionOf(workflow).workflowId}-${name}`
  await client.withDeadline(Date.now() + NOTIFY_MS, () => ensureFiring(client, workflow, firing))
  return firing
}

/** Starts the workflow of a firing, or joins its open run; a stored firing is named by its row. */
export async function ensureFiring(
  client: Client,
  workflow: Pick<CustomerWorkflowRow, 'workflow_id' | 'rail'>,
  firing: string,
): Promise<void> {
  await client.workflow.start<typeof workflowFiring>('workflowFiring', {
    ...actionOf(workflow),
    workflowId: firing,
    ...joinsOpenRun,
  })
}
