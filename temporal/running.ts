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

/**
 * The subjects whose workflow has no open run now. One listing answers for all; each subject that it lacks is then checked alone.
 * The listing lags behind, so a run that has just ended may be missed until the next time.
 */
export async function notRunning(
  client: Client,
  subjects: readonly string[],
  workflowIdOf: (subject: string) => string = (subject) => subject,
): Promise<string[]> {
  if (subjects.length === 0) return []
  const ids = subjects.map((subject) => `'${workflowIdOf(subject)}'`).join(', ')
  const query = `ExecutionStatus = 'Running' AND WorkflowId IN (${ids})`
  const listed = new Set<string>()
  for await (const { workflowId } of client.workflow.list({ query, pageSize: subjects.length }))
    listed.add(workflowId)
  const ended: string[] = []
  for (const subject of subjects) {
    const id = workflowIdOf(subject)
    if (!listed.has(id) && !(await isRunning(client, id))) ended.push(subject)
  }
  return ended
}
