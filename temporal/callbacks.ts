import type { Client } from '@temporalio/client'
import { addRedelivery, findDelivery } from '../activities/store/callback-deliveries.ts'
import { type Tx, transaction } from '../activities/store/db.ts'
import { callbackWorkflowId, redeliverSignal } from '../workflows/callback/messages.ts'
import type { callback } from '../workflows/callback/workflow.ts'
import { isCallbackOpen } from '../workflows/domain/callback.ts'
import { PAYOUTS_QUEUE } from './queues.ts'

const optionsOf = (deliveryId: string) =>
  ({
    workflowId: callbackWorkflowId(deliveryId),
    taskQueue: PAYOUTS_QUEUE,
    args: [deliveryId] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Callback ${deliveryId.slice(0, 13)}…`,
  }) as const

/** Has a stored delivery attempted, unless a run is at it. */
export async function ensureCallback(client: Client, deliveryId: string): Promise<void> {
  await client.workflow.start<typeof callback>('callback', optionsOf(deliveryId))
}

/**
 * Delivers again, there or to another URL: an open delivery is attempted at once, one that is over gets a successor. Answers the
 * id of the delivery that is now under way; undefined when there is none to repeat.
 */
export async function redeliver(client: Client, db: Tx, deliveryId: string, url?: string): Promise<string | undefined> {
  const told = await findDelivery(db, deliveryId)
  if (told === undefined) return undefined
  if (!isCallbackOpen(told.state)) {
    const successor = await transaction(db, (tx) => addRedelivery(tx, deliveryId, url))
    if (successor !== undefined) await ensureCallback(client, successor)
    return successor
  }
  const { workflowIdConflictPolicy: _, ...options } = optionsOf(deliveryId)
  await client.workflow.signalWithStart<typeof callback>('callback', {
    ...options,
    signal: redeliverSignal,
    signalArgs: [],
  })
  return deliveryId
}
