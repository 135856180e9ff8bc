import { McpDescriptor } from '../../mcp/shapes.ts'
import { operation } from '../../operation.ts'

/** GET /.well-known/mcp.json: printed from the registry of operations. */
export const mcpDescriptor = operation({
  id: 'mcp-descriptor',
  summary: 'Where MCP is served, in which versions, and what each tool needs and costs.',
  http: { method: 'GET', path: '/.well-known/mcp.json', host: 'base', cacheable: true },
  access: 'public',
  output: McpDescriptor,
  handle: async (_input, context) => ({ body: context.discovery.mcp() }),
})
