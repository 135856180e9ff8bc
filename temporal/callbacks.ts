import type { Client } from '@temporalio/client'
import { callbackWorkflowId, redeliverSignal } from '../workflows/callbacks/messages.ts'
import type { callback } from '../workflows/callbacks/workflow.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { tryOnce } from './updates.ts'

export { callbackWorkflowId }

const optionsOf = (deliveryId: string) =>
  ({
    workflowId: callbackWorkflowId(deliveryId),
    taskQueue: PAYOUTS_QUEUE,
    args: [deliveryId] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    staticSummary: `Callback ${deliveryId.slice(0, 13)}…`,
  }) as const

/** Starts the delivery of a stored callback, or joins its open run. */
export async function ensureCallback(client: Client, deliveryId: string): Promise<void> {
  await client.workflow.start<typeof callback>('callback', {
    ...optionsOf(deliveryId),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
}

/** Tries once to start the delivery and never fails: a worker's sweep starts every delivery that is due. */
export const notifyCallback = (client: Client, deliveryId: string): Promise<void> =>
  tryOnce(client, () => ensureCallback(client, deliveryId))

/** Makes the workflow of a delivery read its row and continue, in a new run if none is open. */
export async function wakeCallback(client: Client, deliveryId: string): Promise<void> {
  await client.workflow.signalWithStart<typeof callback>('callback', {
    ...optionsOf(deliveryId),
    signal: wakeSignal,
    signalArgs: [],
  })
}

/** Makes the next attempt of a delivery now, in a new run if none is open. */
export async function attemptCallbackNow(client: Client, deliveryId: string): Promise<void> {
  await client.workflow.signalWithStart<typeof callback>('callback', {
    ...optionsOf(deliveryId),
    signal: redeliverSignal,
    signalArgs: [],
  })
}
