import type { Client } from '@temporalio/client'
import type { serviceKeyRotation } from '../workflows/key-rotation/workflow.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { NOTIFY_MS } from './updates.ts'

export const keyRotationWorkflowId = (ring: string): string => `key-rotation-${ring}`

/** Makes the workflow of a ring's rotation read its row and continue, in a new run if none is open. */
export async function wakeKeyRotation(client: Client, ring: string): Promise<void> {
  await client.workflow.signalWithStart<typeof serviceKeyRotation>('serviceKeyRotation', {
    workflowId: keyRotationWorkflowId(ring),
    taskQueue: PAYOUTS_QUEUE,
    args: [ring],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: wakeSignal,
    signalArgs: [],
    staticSummary: `Rotation of the signing keys ${ring}`,
  })
}

/** Tries once to wake the workflow and never fails: a worker's sweep starts every rotation that is open, and an open run reads its row from time to time. */
export const notifyKeyRotation = (client: Client, ring: string): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () => wakeKeyRotation(client, ring))
    .catch(() => undefined)
