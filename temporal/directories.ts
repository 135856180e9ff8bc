import type { Client } from '@temporalio/client'
import type { directorySubmission } from '../workflows/directories/workflow.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { NOTIFY_MS } from './updates.ts'

export const directoryWorkflowId = (submissionId: string): string => `directory-${submissionId}`

/** Starts the workflow of a stored submission, or joins its open run. */
export async function ensureDirectorySubmission(
  client: Client,
  submissionId: string,
): Promise<void> {
  await client.workflow.start<typeof directorySubmission>('directorySubmission', {
    workflowId: directoryWorkflowId(submissionId),
    taskQueue: PAYOUTS_QUEUE,
    args: [submissionId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Submission ${submissionId.slice(0, 13)}…`,
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts every submission that is open. */
export const notifyDirectorySubmission = (client: Client, submissionId: string): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () => ensureDirectorySubmission(client, submissionId))
    .catch(() => undefined)
