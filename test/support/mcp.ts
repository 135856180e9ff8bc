import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

type Headers = Record<string, string>
type Result = {
  isError?: boolean
  structuredContent: Record<string, unknown>
  content: { type: string; text: string }[]
  _meta?: Record<string, unknown>
}

/** A connected client of the SDK, of revision 2026-07-28. */
export async function connectMcp(baseUrl: string, headers: Headers = {}) {
  return clientOf(await connectSdk(baseUrl, headers))
}

/** The client of the SDK itself. */
export async function connectSdk(baseUrl: string, headers: Headers = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/api/mcp', baseUrl), { requestInit: { headers } }),
  )
  return client
}

/** A connected client of the former SDK, which begins with `initialize`. */
export async function connectFormerMcp(
  baseUrl: string,
  headers: Headers = {},
  path = '/api/mcp-server-wrapper',
) {
  const client = new FormerClient({ name: 'test', version: '1' })
  const transport = new FormerTransport(new URL(path, baseUrl), { requestInit: { headers } })
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0])
  return clientOf(client)
}

type Called = { name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> }
type Sdk = {
  callTool(call: Called): Promise<unknown>
  listTools(): Promise<{ tools: { name: string; description?: string | undefined }[] }>
  close(): Promise<void>
}

const clientOf = (client: Sdk) => ({
  list: async () => (await client.listTools()).tools,
  /** Calls a tool; the client checks its result against the tool's output schema. */
  call: async (name: string, args: object = {}, meta?: Record<string, unknown>) =>
    (await client.callTool({
      name,
      arguments: args as Record<string, unknown>,
      ...(meta === undefined ? {} : { _meta: meta }),
    })) as Result,
  close: () => client.close(),
})
export type McpClient = ReturnType<typeof clientOf>

/** A message of version 2025-06-18 as it is, without a client. */
export const sendMessage = (url: string, body: string | object, headers: Headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
