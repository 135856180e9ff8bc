import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { searchAttributes } from '../workflows/shared/search-attributes.ts'

/** Whether a run of this workflow is open now. */
export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** The traces of the calls that reached this workflow, the newest last; none where it was never started. */
export async function traceIdsOf(client: Client, workflowId: string): Promise<string[]> {
  try {
    const { typedSearchAttributes } = await client.workflow.getHandle(workflowId).describe()
    return typedSearchAttributes.get(searchAttributes.TraceIds) ?? []
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return []
    throw error
  }
}
