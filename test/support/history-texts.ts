import type { Client } from '@temporalio/client'

/** All that Temporal keeps of a workflow, with what its payloads, headers, memo and search attributes encode as text. */
type KeptWorkflow = { readonly type: string; readonly text: string }

/** Every workflow of the namespace. */
export async function keptWorkflows({ workflow, workflowService, options }: Client) {
  const kept: KeptWorkflow[] = []
  for await (const { workflowId, runId, type } of workflow.list()) {
    const handle = workflow.getHandle(workflowId, runId)
    const described = await workflowService.describeWorkflowExecution({
      namespace: options.namespace,
      execution: { workflowId, runId },
    })
    const texts = [...textsIn(await handle.fetchHistory()), ...textsIn(described)]
    kept.push({ type, text: texts.join('\n') })
  }
  return kept
}

/** Every string of a message, its bytes read as text, and what JSON in them says without its escapes. */
function* textsIn(message: unknown): Generator<string> {
  if (typeof message === 'string') yield* [message, unescaped(message)]
  else if (message instanceof Uint8Array) yield* textsIn(Buffer.from(message).toString('utf8'))
  else if (typeof message === 'object' && message !== null)
    for (const [name, part] of Object.entries(message)) {
      yield name
      yield* textsIn(part)
    }
}

const unescaped = (text: string): string => text.replaceAll('\\n', '\n').replaceAll('\\"', '"')
