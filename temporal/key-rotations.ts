import type { Client } from '@temporalio/client'
import type { serviceKeyRotation } from '../workflows/key-rotation/workflow.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { NOTIFY_MS } from './updates.ts'

export const keyRotationWorkflowId = (ring: string): string => `key-rotation-${ring}`

/** Starts the workflow of a ring's stored rotation, or joins its open run. */
export async function ensureKeyRotation(client: Client, ring: string): Promise<void> {
  await client.workflow.start<typeof serviceKeyRotation>('serviceKeyRotation', {
    workflowId: keyRotationWorkflowId(ring),
    taskQueue: PAYOUTS_QUEUE,
    args: [ring],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Rotation of the signing keys ${ring}`,
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts every rotation that is open. */
export const notifyKeyRotation = (client: Client, ring: string): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () => ensureKeyRotation(client, ring))
    .catch(() => undefined)
