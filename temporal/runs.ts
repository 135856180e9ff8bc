import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { wakeSignal } from '../workflows/shared/signals.ts'

/** Makes the open workflow of a run read its row again; without one, its task starts it. */
export const wakeRun = (client: Client, runId: string): Promise<void> =>
  client.workflow
    .getHandle(runId)
    .signal(wakeSignal)
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    })
