import type {
  CallToolResult,
  InputRequiredResult,
  Tool as ListedTool,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { Sender } from '../http/sender.ts'
import type { AnyOperation } from '../operation.ts'
import type { Tasks } from './tasks.ts'

/** What a client sends to a tool. */
export type ToolCall = {
  readonly args: Readonly<Record<string, unknown>>
  readonly meta: Readonly<Record<string, unknown>>
  readonly request: ServerContext['mcpReq']
}

/** The answer of a tool: its result, the task that the call began (`handleOf`), or what it asks of its client. */
type ToolAnswer = CallToolResult | InputRequiredResult

/** The tools of a server, their calls, and the tasks that their calls begin. */
export type Toolbox = {
  readonly instructions: string
  /** In a fixed order. */
  readonly listed: readonly ListedTool[]
  /** Undefined for a tool that is not listed. */
  readonly call: (name: string, call: ToolCall, sender: Sender) => Promise<ToolAnswer> | undefined
  readonly tasksOf: (sender: Sender) => Tasks
  /** The operation whose pipeline counts a message; undefined for one that counts as a call of its address. */
  readonly operationOf: (method: string, name: string) => AnyOperation | undefined
  /** What a message can call; its size has the largest of their limits. */
  readonly operations: readonly AnyOperation[]
}
