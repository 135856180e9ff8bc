import {
  Client,
  Connection,
  type WorkflowExecutionInfo,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common'
import type { WorkflowFact } from './facts.ts'

const NeedsAttention = defineSearchAttributeKey('NeedsAttention', SearchAttributeType.BOOL)

/** Every run of every workflow; an open one is described, because the list may lag behind. */
export async function readTemporal(address: string): Promise<WorkflowFact[]> {
  const connection = await Connection.connect({ address })
  try {
    const client = new Client({ connection })
    const runs: WorkflowExecutionInfo[] = []
    for await (const run of client.workflow.list()) runs.push(run)
    return await Promise.all(runs.map((run) => factOf(client, run)))
  } finally {
    await connection.close()
  }
}

async function factOf(client: Client, run: WorkflowExecutionInfo): Promise<WorkflowFact> {
  const { workflowId, runId, type } = run
  const open = run.status.name === 'RUNNING' ? await describe(client, workflowId, runId) : undefined
  const seen = open ?? run
  const taskAttempts = open?.raw.pendingWorkflowTask?.attempt ?? 0
  const notified = taskAttempts > 1 || seen.status.name === 'TERMINATED'
  return {
    workflowId,
    type,
    status: seen.status.name,
    startedAt: run.startTime.getTime(),
    needsAttention: seen.typedSearchAttributes.get(NeedsAttention) ?? false,
    taskAttempts,
    history: notified ? await readHistory(client, workflowId, runId) : [],
  }
}

/** What happened so far, one line for each event: a task that fails again and again is understood from these alone. */
async function readHistory(client: Client, workflowId: string, runId: string): Promise<string[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
  return (events ?? []).map((event) => {
    const attributes = /^(?<kind>.*)EventAttributes$/
    const kind = Object.entries(event).find(
      ([name, value]) => value !== null && attributes.test(name),
    )?.[0]
    const failure =
      event.workflowTaskFailedEventAttributes?.failure ??
      event.markerRecordedEventAttributes?.failure
    const why = failure?.message ?? event.workflowExecutionTerminatedEventAttributes?.reason
    return [`${event.eventId} ${kind?.replace(attributes, '$<kind>')}`, why ?? []].flat().join(': ')
  })
}

async function describe(client: Client, workflowId: string, runId: string) {
  try {
    return await client.workflow.getHandle(workflowId, runId).describe()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}
