import { type Client, WorkflowNotFoundError } from '@temporalio/client'

/** How often in a row a run's workflow task has failed or timed out until nobody waits for it any longer. */
const ATTEMPTS_MAX = 3

/**
 * Ends a run that cannot go on, such as one of which the server lost a task that its worker had done: the rows are the truth,
 * and whoever calls next begins a run that goes on from them. Whether there was one to end.
 */
export async function endBroken(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { raw, runId, status } = await client.workflow.getHandle(workflowId).describe()
    if (status.name !== 'RUNNING' || (raw.pendingWorkflowTask?.attempt ?? 0) <= ATTEMPTS_MAX)
      return false
    // This very run: another may have begun meanwhile.
    await client.workflow
      .getHandle(workflowId, runId)
      .terminate('its workflow task fails again and again')
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}
