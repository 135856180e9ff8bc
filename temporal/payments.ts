import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { payment as paymentWorkflow } from '../workflows/payment/workflow.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { TELL_MS } from './updates.ts'

export const paymentWorkflowId = (paymentId: string): string => `payment/${paymentId}`

/** Starts the settlement of a payment, or joins the one under way; a settlement that ended is begun again from its row. */
export async function ensurePayment(client: Client, paymentId: string): Promise<void> {
  await client.workflow.start<typeof paymentWorkflow>('payment', {
    workflowId: paymentWorkflowId(paymentId),
    taskQueue: PAYOUTS_QUEUE,
    args: [paymentId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Fee payment ${paymentId.slice(0, 10)}…`,
  })
}

/** One short try of it that never fails: the row is the outbox, and a worker's sweep starts what is due. */
export const tellPayment = (client: Client, paymentId: string): Promise<void> =>
  client.withDeadline(Date.now() + TELL_MS, () => ensurePayment(client, paymentId)).catch(() => undefined)

/** Whether a run of this workflow is open now. */
export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/**
 * Those of these subjects whose workflow has no open run now. The listing is asked first, once for all, and who is not on it
 * one by one: it lags behind, so a run that has just ended may be missed until the next time.
 */
export async function notRunning(
  client: Client,
  subjects: readonly string[],
  workflowIdOf: (subject: string) => string = (subject) => subject,
): Promise<string[]> {
  if (subjects.length === 0) return []
  const ids = subjects.map((subject) => `'${workflowIdOf(subject)}'`).join(', ')
  const query = `ExecutionStatus = 'Running' AND WorkflowId IN (${ids})`
  const listed = new Set<string>()
  for await (const { workflowId } of client.workflow.list({ query, pageSize: subjects.length })) listed.add(workflowId)
  const ended: string[] = []
  for (const subject of subjects) {
    const id = workflowIdOf(subject)
    if (!listed.has(id) && !(await isRunning(client, id))) ended.push(subject)
  }
  return ended
}
