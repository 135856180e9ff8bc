import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { credentialHeader } from '#domain/payments/mpp.ts'
import type { Executed, Operations } from '../calls/call.ts'
import type { CallAnswer, CallRequest } from '../context.ts'
import type { Sender } from '../http/sender.ts'
import type { AnyOperation } from '../operation.ts'
import { cancelRun, type FollowedRun, followRun } from './task-operations.ts'
import { handleOf, isOver, type Tasks, type TaskView, takesTasks } from './tasks.ts'
import type { Toolbox, ToolCall } from './toolbox.ts'
import { type Tool, toolsOf } from './tools.ts'

/** Where MCP has the credential of MPP (draft-payment-transport-mcp). */
const MPP_CREDENTIAL = 'org.paymentauth/credential'

/** The call of a tool as the request that its operation gets over HTTP, so that proofs and signatures are the same. */
function requestOf(
  tool: Tool,
  { args, meta }: Pick<ToolCall, 'args' | 'meta'>,
  sender: Sender,
): CallRequest {
  const { operation, keyInHeader, entry } = tool
  const { method, path } = operation.http
  const { idempotency_key: key, ...others } = args
  const lifted = keyInHeader && key !== undefined
  const input = {
    ...(operation.mode === undefined ? {} : { mode: operation.mode }),
    ...(lifted ? others : args),
  }
  return {
    ...sender,
    headers: {
      ...sender.headers,
      ...paymentOf(meta),
      ...(lifted ? { 'idempotency-key': String(key) } : {}),
    },
    tool: entry.name,
    method,
    path,
    params: {},
    ...(method === 'GET'
      ? { body: null, query: input }
      : { body: Buffer.from(JSON.stringify(input)), query: {} }),
  }
}

/** The operations of the tool's path. `mode` is no argument: one that a client sends cannot lead to another operation of them. */
const groupOf = ({ group, operation }: Tool, args: ToolCall['args']): Operations =>
  'mode' in args ? [operation] : group

/** The payments of `_meta` as the headers of x402 and MPP over HTTP. */
function paymentOf(meta: ToolCall['meta']): Record<string, string> {
  const { 'x402/payment': payment, [MPP_CREDENTIAL]: credential } = meta
  return {
    ...(payment === undefined
      ? {}
      : { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }),
    ...(credential === undefined ? {} : { 'payment-authorization': credentialHeader(credential) }),
  }
}

/** The answer of a call as the result of its tool: the same object as structured content and as text. */
function resultOf(
  { operation, entry }: Tool,
  answer: CallAnswer,
  sent: ToolCall['meta'],
): CallToolResult {
  const isError = isRefused(operation, answer)
  const body = answer.body as Record<string, unknown>
  const object = isError && 'accepts' in body ? paymentRequired(entry.name, body) : body
  const _meta = { ...challengesOf(body), ...paymentMeta(answer, sent) }
  return {
    ...objectResult(object, { isError }),
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
  }
}

/** The challenges of MPP in a refusal that asks for a payment. */
const challengesOf = ({ payment_challenges: challenges }: Record<string, unknown>) =>
  challenges === undefined
    ? {}
    : { 'org.paymentauth/payment-required': { httpStatus: 402, challenges } }

/** The settlement of the call: as x402 has it, and for a credential of MPP as its receipt. */
function paymentMeta({ headers }: CallAnswer, { [MPP_CREDENTIAL]: credential }: ToolCall['meta']) {
  const { 'PAYMENT-RESPONSE': paid, 'Payment-Receipt': receipt } = headers
  if (typeof paid !== 'string' || typeof receipt !== 'string') return {}
  const challengeId = Object(Object(credential).challenge).id
  return {
    'x402/payment-response': decoded(paid),
    ...(credential === undefined
      ? {}
      : { 'org.paymentauth/receipt': { ...decoded(receipt), challengeId } }),
  }
}

/** Whether an answer is the refusal of a call; some operations have a status over 399 as their success. */
const isRefused = (
  { status: successes }: Pick<AnyOperation, 'status'>,
  { status }: CallAnswer,
): boolean => status >= 400 && !successes.includes(status)

/** An object as a result, as structured content and as text. */
const objectResult = (
  object: Record<string, unknown>,
  { isError }: { isError: boolean },
): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(object) }],
  structuredContent: object,
  ...(isError ? { isError } : {}),
})

/** The problem, which has an x402 offer in it, with what else x402 names; its resource is the tool. */
function paymentRequired(name: string, problem: Record<string, unknown>) {
  const { resource, detail } = problem
  return {
    ...problem,
    error: detail,
    resource: { ...(resource as object), url: `mcp://tool/${name}` },
  }
}

const decoded = (header: string): object =>
  JSON.parse(Buffer.from(header, 'base64').toString('utf8'))

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
