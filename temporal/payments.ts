import type { Client } from '@temporalio/client'
import type { payment as paymentWorkflow } from '../workflows/payments/workflow.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { NOTIFY_MS } from './updates.ts'

export const paymentWorkflowId = (paymentId: string): string => `payment/${paymentId}`

/** Starts the settlement of a payment or joins its open run; after a closed run, a new one continues from the row. */
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

/** Tries once to start the settlement and never fails: a worker's sweep starts every payment that is due. */
export const notifyPayment = (client: Client, paymentId: string): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () => ensurePayment(client, paymentId))
    .catch(() => undefined)
