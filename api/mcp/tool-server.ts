import {
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import type { Sender } from '../http/sender.ts'
import { legacyVersions, SERVER_NAME, serverVersion } from './protocol.ts'
import { serveTasks, TASKS_EXTENSION } from './tasks.ts'
import type { Toolbox } from './toolbox.ts'

/** The server of one message of a sender: it lists the tools, calls them, and follows the tasks that they begin. */
export function createToolServer(
  { instructions, listed, call, tasksOf }: Toolbox,
  sender: Sender,
  { era }: Pick<McpRequestContext, 'era'>,
): Server {
  const hasTasks = era === 'modern'
  const extensions = hasTasks ? { extensions: { [TASKS_EXTENSION]: {} } } : {}
  const server = new Server(
    { name: SERVER_NAME, version: serverVersion },
    {
      capabilities: { tools: {}, ...extensions },
      instructions,
      supportedProtocolVersions: [...legacyVersions],
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: [...listed],
    ttlMs: 300_000,
    cacheScope: 'public',
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: args = {} } = params
    const answer = call(name, { args, meta: mcpReq._meta ?? {}, request: mcpReq }, sender)
    if (answer === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${name}`)
    return answer
  })
  if (hasTasks) serveTasks(server, tasksOf(sender))
  return server
}
