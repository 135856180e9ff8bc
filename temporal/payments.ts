import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { payment as paymentWorkflow } from '../workflows/payment/workflow.ts'
import { PAYOUTS_QUEUE } from './queues.ts'

/** Starts the settlement of a payment, or joins the one under way; a settlement that ended is begun again from its row. */
export async function ensurePayment(client: Client, paymentId: string): Promise<void> {
  await client.workflow.start<typeof paymentWorkflow>('payment', {
    workflowId: `payment/${paymentId}`,
    taskQueue: PAYOUTS_QUEUE,
    args: [paymentId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Fee payment ${paymentId.slice(0, 10)}…`,
  })
}

/** Whether a run of this workflow is open now. */
export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}
