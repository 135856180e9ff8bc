import type { Client } from '@temporalio/client'
import type { uploadCheck } from '../workflows/upload-check/workflow.ts'
import { TASKS_QUEUE } from './queues.ts'
import { joinsOpenRun, NOTIFY_MS } from './updates.ts'

/** Starts the workflow of a stored check, or joins its open run; false where Temporal does not answer. */
export const startUploadCheck = (
  client: Client,
  { check_id, owner }: { check_id: string; owner: string },
  trusted: boolean,
): Promise<boolean> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () =>
      client.workflow.start<typeof uploadCheck>('uploadCheck', {
        workflowId: check_id,
        taskQueue: TASKS_QUEUE,
        args: [check_id, owner, trusted],
        ...joinsOpenRun,
        staticSummary: `Upload of ${owner}`,
      }),
    )
    .then(
      () => true,
      () => false,
    )
