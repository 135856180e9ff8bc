import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { Executed, Operations } from '../calls/call.ts'
import type { CallRequest } from '../context.ts'
import type { Sender } from '../http/sender.ts'
import { legacyVersions, SERVER_NAME, serverVersion } from './protocol.ts'
import { groupOf, requestOf } from './request.ts'
import { resultOf } from './result.ts'
import type { Tool } from './tools.ts'

type Served = {
  readonly tools: readonly Tool[]
  /** Who sends the message that is served. */
  readonly sender: () => Sender
  readonly call: (operations: Operations, request: CallRequest) => Promise<Executed>
}

const instructions =
  'Agents quote, pay for and run bounded work here, and get a result with a signed receipt. Begin with list_rails and quote_run. A refusal is a problem object: its code, next_action and money_moved say what happened and what to do. When you repeat a call, reuse the same idempotency_key.'

/** The server of one message: it lists the tools, and calls their operations. */
export function createToolServer({ tools, sender, call }: Served): Server {
  const server = new Server(
    { name: SERVER_NAME, version: serverVersion },
    { capabilities: { tools: {} }, instructions, supportedProtocolVersions: [...legacyVersions] },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ entry }) => entry),
    ttlMs: 300_000,
    cacheScope: 'public',
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ entry }) => entry.name === params.name)
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${params.name}`)
    const { arguments: args = {} } = params
    const toolCall = { args, meta: mcpReq._meta ?? {} }
    const { answer } = await call(groupOf(tool, args), requestOf(tool, toolCall, sender()))
    return resultOf(tool, answer)
  })
  return server
}
