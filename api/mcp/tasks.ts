import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The Tasks extension (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
const POLL_INTERVAL_MS = 2_000

/** A task as `tasks/get` shows it. Its status never changes once it is `completed`, `failed` or `cancelled`. */
export type TaskView = {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly statusMessage?: string
  /** RFC 3339 UTC. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** What the call that began the task answers in the end; of a completed task. */
  readonly result?: CallToolResult
  /** Of a failed task, which had no result to give. */
  readonly error?: { readonly code: number; readonly message: string }
  readonly inputRequests?: Readonly<Record<string, unknown>>
}

/** The tasks of a caller. Each method answers undefined for a task that the caller does not have. */
export type Tasks = {
  readonly get: (taskId: string) => Promise<TaskView | undefined>
  readonly cancel: (taskId: string) => Promise<true | undefined>
  readonly update: (taskId: string, responses: unknown) => Promise<true | undefined>
}

type Request = ServerContext['mcpReq']

/** Whether this very request declares the extension; only the revision without sessions can. */
export function takesTasks({ envelope }: { readonly envelope?: unknown }): boolean {
  const capabilities = Object(envelope)[CLIENT_CAPABILITIES_META_KEY]
  return capabilities?.extensions?.[TASKS_EXTENSION] !== undefined
}

/** What a call answers in place of its result: the task that it began, which is durable by then. */
export const handleOf = (task: TaskView): CallToolResult => ({
  resultType: 'task',
  ...shown(task),
  content: [],
})

/** A task is kept without an end, so it has no time to live. */
const shown = ({ taskId, status, statusMessage, createdAt, lastUpdatedAt }: TaskView) => ({
  taskId,
  status,
  ...(statusMessage === undefined ? {} : { statusMessage }),
  createdAt,
  lastUpdatedAt,
  ttlMs: null,
  pollIntervalMs: POLL_INTERVAL_MS,
})

export const isOver = ({ status }: TaskView): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Refuses a request whose client does not declare the extension. */
export function assertTakesTasks(request: Request): void {
  if (takesTasks(request)) return
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}

const params = z.looseObject({ taskId: z.string() })
const result = z.looseObject({})

/** Serves `tasks/get`, `tasks/cancel` and `tasks/update`. */
export function serveTasks(server: Server, { get, cancel, update }: Tasks): void {
  server.setRequestHandler('tasks/get', { params, result }, async ({ taskId }, { mcpReq }) => {
    assertTakesTasks(mcpReq)
    const task = known(taskId, await get(taskId))
    const { result: answer, error, inputRequests } = task
    return {
      ...shown(task),
      ...(answer === undefined ? {} : { result: answer }),
      ...(error === undefined ? {} : { error }),
      ...(inputRequests === undefined ? {} : { inputRequests }),
    }
  })
  server.setRequestHandler('tasks/cancel', { params, result }, async ({ taskId }, { mcpReq }) => {
    assertTakesTasks(mcpReq)
    known(taskId, await cancel(taskId))
    return {}
  })
  server.setRequestHandler('tasks/update', { params, result }, async ({ taskId }, { mcpReq }) => {
    assertTakesTasks(mcpReq)
    known(taskId, await update(taskId, mcpReq.inputResponses))
    return {}
  })
}

function known<Found>(taskId: string, found: Found | undefined): Found {
  if (found !== undefined) return found
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown task: ${taskId}`)
}
