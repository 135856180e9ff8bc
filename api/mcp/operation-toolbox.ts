import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Executed, Operations } from '../calls/call.ts'
import type { CallAnswer, CallRequest } from '../context.ts'
import type { Sender } from '../http/sender.ts'
import type { AnyOperation } from '../operation.ts'
import { cancelRun } from './operations/cancel-run.ts'
import { type FollowedRun, followRun } from './operations/follow-run.ts'
import { groupOf, requestOf } from './request.ts'
import { isRefused, objectResult, resultOf } from './result.ts'
import { handleOf, isOver, type Tasks, type TaskView, takesTasks } from './tasks.ts'
import type { Toolbox } from './toolbox.ts'
import { type Tool, toolsOf } from './tools.ts'

type Call = (operations: Operations, request: CallRequest) => Promise<Executed>

const instructions =
  'Agents quote, pay for and run bounded work here, and get a result with a signed receipt. Begin with list_rails and quote_run. A refusal is a problem object: its code, next_action and money_moved say what happened and what to do. When you repeat a call, reuse the same idempotency_key.'

/** The operations of a registry as tools. The call of a tool is the call of its operation, and a run that it starts is a task. */
export function operationToolbox(registry: readonly AnyOperation[], call: Call): Toolbox {
  const tools = toolsOf(registry)
  const find = (name: string) => tools.find(({ entry }) => entry.name === name)
  return {
    instructions,
    listed: tools.map(({ entry }) => entry),
    call: (name, { args, meta, request }, sender) => {
      const tool = find(name)
      if (tool === undefined) return undefined
      const answered = call(groupOf(tool, args), requestOf(tool, { args, meta }, sender))
      return answered.then(({ answer }) => {
        const result = resultOf(tool, answer, meta)
        return takesTasks(request)
          ? withTask(tool, { answer, result }, runsOf(call, sender))
          : result
      })
    },
    tasksOf: (sender) => runsOf(call, sender),
    operationOf: (method, name) =>
      method === 'tools/call' ? find(name)?.operation : taskOperations.get(method),
    operations: tools.map(({ operation }) => operation),
  }
}

const taskOperations: ReadonlyMap<string, AnyOperation> = new Map([
  ['tasks/get', followRun],
  ['tasks/update', followRun],
  ['tasks/cancel', cancelRun],
])

/** The task of the run that a call started; the result where it started none, where the run has ended, or where it cannot be read. */
async function withTask(
  tool: Tool,
  { answer, result }: { answer: CallAnswer; result: CallToolResult },
  runs: Tasks,
) {
  const runId = isRefused(tool.operation, answer)
    ? undefined
    : tool.operation.startsRun?.(answer.body)
  if (runId === undefined) return result
  const task = await runs.get(runId).catch(() => undefined)
  if (task === undefined || isOver(task)) return result
  return { ...handleOf(task), ...(result._meta === undefined ? {} : { _meta: result._meta }) }
}

/** The runs of a caller as tasks, whose ids are those of the runs; all that they show is read from the rows of the run. */
function runsOf(call: Call, sender: Sender): Tasks {
  const ask = async (operation: AnyOperation, run_id: string) => {
    const { method, path } = operation.http
    const body = Buffer.from(JSON.stringify({ run_id }))
    const request = { ...sender, method, path, params: {}, query: {}, body }
    const { answer } = await call([operation], request)
    return isRefused(operation, answer) ? unlessUnknown(answer) : answer
  }
  const get = async (runId: string) => {
    const answer = await ask(followRun, runId)
    return answer && taskOf(runId, answer.body as FollowedRun)
  }
  return {
    get,
    cancel: async (runId) => (await ask(cancelRun, runId)) && true,
    // A run asks its caller for nothing in this way, so there is no response to take.
    update: async (runId) => (await get(runId)) && true,
  }
}

/** Undefined for what the caller does not have; throws any other refusal, with its problem. */
function unlessUnknown({ status, body }: CallAnswer): undefined {
  const { code, detail } = body as { code: string; detail: string }
  if (code === 'not_found' || code === 'not_owner' || code === 'invalid_request') return undefined
  const isOurs = status >= 500
  const error = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest
  throw new ProtocolError(error, detail, body)
}

const statuses = {
  working: 'working',
  completed: 'completed',
  // The call ran, and its result says why there is no run.
  refused: 'completed',
  cancelled: 'cancelled',
} as const

function taskOf(
  taskId: string,
  { outcome, started, created_at, changed_at }: FollowedRun,
): TaskView {
  const status = statuses[outcome]
  const isError = outcome === 'refused'
  return {
    taskId,
    status,
    statusMessage: `The run is ${started.run.state}. ${started.run.next_action}`,
    createdAt: created_at,
    lastUpdatedAt: changed_at,
    ...(status === 'completed' ? { result: objectResult(started, { isError }) } : {}),
  }
}
