import { type Client, WorkflowNotFoundError } from '@temporalio/client'

/** The reason in the history of a run that the service ended because its workflow task keeps failing. */
export const BROKEN_RUN = 'workflow_task_broken'

/** Consecutive failures of a workflow task after which its run counts as broken. */
const ATTEMPTS_MAX = 3

/** Whether the workflow task of the open run fails now. It is tried again by itself; a signal would only restart its count. */
export async function isFailing(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe()
    return (raw.pendingWorkflowTask?.attempt ?? 0) > 1
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/**
 * Terminates a run that cannot continue, for example after the server lost a completed workflow task. The rows are the source of
 * truth, and the next call starts a run that continues from them. Returns whether a run was terminated.
 */
export async function endBroken(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { raw, runId, status } = await client.workflow.getHandle(workflowId).describe()
    if (status.name !== 'RUNNING' || (raw.pendingWorkflowTask?.attempt ?? 0) <= ATTEMPTS_MAX)
      return false
    // Terminates this run only, because another may have started since.
    await client.workflow.getHandle(workflowId, runId).terminate(BROKEN_RUN)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}
