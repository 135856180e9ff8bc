import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { refuse } from '#domain/core/errors.ts'
import { pickOperation } from '../../../api/calls/body.ts'
import type { Operations } from '../../../api/calls/call.ts'
import { problemAnswer } from '../../../api/calls/problem.ts'
import type { CallAnswer, CallRequest } from '../../../api/context.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import { createApp, type Surface } from '../../../api/express.ts'
import { type Listener, listen } from '../../../api/http/listen.ts'
import { createLog } from '../../../api/http/log.ts'
import { createMetrics } from '../../../api/http/metrics.ts'
import { type Tool, toolsOf } from '../../../api/mcp/tools.ts'
import { operations } from '../../../api/operations/index.ts'
import { connectFormerMcp, connectMcp, type McpClient, sendMessage } from '../../support/mcp.ts'
import { unlimited } from '../../support/unlimited.ts'
import { verifies } from '../../verifies.ts'

// The HTTP host with a pipeline that records what reaches it, and answers the example of the operation.
type Seen = { group: Operations; request: CallRequest }
let seen: Seen[] = []
let answer: (of: Seen) => CallAnswer
const answerByExample = ({ group, request }: Seen): CallAnswer => {
  const operation = pickOperation(group, JSON.parse(String(request.body ?? '{}')))
  return { status: operation.status[0], headers: {}, body: exampleOf(operation).output }
}
const baseUrl = 'https://svc.example'
const refused = ({ request }: Seen): CallAnswer =>
  problemAnswer(refuse('not_found', { detail: 'it is not there' }).refusal, {
    baseUrl,
    requestId: request.requestId,
    traceId: '0'.repeat(32),
  })
const surface: Surface = {
  registry: operations,
  host: 'base',
  osUrl: 'https://os.svc.example',
  baseUrl,
  trustProxy: '',
  trustsLoopback: true,
  log: createLog('silent'),
  metrics: createMetrics(),
  limits: unlimited,
  isOperator: async () => false,
  call: async (group, request) => {
    seen.push({ group, request })
    return { answer: answer({ group, request }) }
  },
}
const tools = toolsOf(operations)

const listeners: Listener[] = []
const start = async (more: Partial<Surface> = {}) => {
  const listener = await listen(createApp({ ...surface, ...more }), '127.0.0.1', 0)
  listeners.push(listener)
  return `http://127.0.0.1:${listener.port}`
}
let base: string
let current: McpClient
let former: McpClient
beforeAll(async () => {
  base = await start()
  current = await connectMcp(base, known)
  former = await connectFormerMcp(base, known)
})
beforeEach(() => {
  seen = []
  answer = answerByExample
})
afterAll(async () => {
  await Promise.all([current?.close(), former?.close()])
  await Promise.all(listeners.map((listener) => listener.stop(0)))
})

const known = { Authorization: 'Bearer ag_1_x', 'X-Request-Id': 'request-0001' }

/** The example of a tool's operation as the arguments of the tool. */
function argumentsOf({ operation }: Tool): Record<string, unknown> {
  const { mode: _mode, ...args } = exampleOf(operation).input
  return args
}

/** The same call over HTTP. */
function overHttp({ operation: { id, http } }: Tool): Promise<Response> {
  const example = exampleOf({ id })
  const { method, path } = http
  if (method === 'GET')
    return fetch(`${base}${path}?${new URLSearchParams(example.input as Record<string, string>)}`, {
      headers: known,
    })
  const headers = { ...known, 'Content-Type': 'application/json' }
  return fetch(base + path, { method, headers, body: JSON.stringify(example.input) })
}

/** What the pipeline makes of a request, without the headers of each transport. */
const essentialsOf = ({ group, request }: Seen) => {
  const { headers, isInsider: _insider, traceId: _trace, overMcp: _mcp, query, ...others } = request
  const { authorization, 'x-request-id': id } = headers
  return { ...others, query: { ...query }, authorization, id, group: group.map((one) => one.id) }
}

verifies(
  'mcp.same-call',
  'the call of each tool is the call of its operation over HTTP',
  async () => {
    expect(tools.length).toBeGreaterThan(12)
    for (const tool of tools) {
      const { name } = tool.entry
      seen = []
      const http = await overHttp(tool)
      const body = await http.json()
      for (const client of [current, former]) {
        const result = await client.call(name, argumentsOf(tool))
        expect(result.structuredContent, name).toEqual(body)
        expect(JSON.parse(result.content[0]?.text ?? ''), name).toEqual(body)
        expect(result.isError ?? false, name).toBe(false)
      }
      const [direct, ...others] = seen.map(essentialsOf)
      const byTool = { ...direct, tool: name }
      expect(others, name).toEqual([byTool, byTool])
    }
  },
)

verifies('mcp.same-call', 'the refusal of each tool is the problem over HTTP', async () => {
  answer = refused
  for (const tool of tools) {
    const problem = await (await overHttp(tool)).json()
    for (const client of [current, former]) {
      const result = await client.call(tool.entry.name, argumentsOf(tool))
      expect(result).toMatchObject({ isError: true, structuredContent: problem })
      expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(problem)
    }
  }
})

verifies('mcp.versions', 'clients of each version initialize and list the tools', async () => {
  const names = tools.map(({ entry }) => entry.name)
  for (const client of [current, former])
    expect((await client.list()).map(({ name }) => name)).toEqual(names)
  for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }
    const answered = await sendMessage(`${base}/api/mcp`, {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params,
    })
    expect(await answered.text()).toContain(`"protocolVersion":"${protocolVersion}"`)
  }
  expect(seen).toEqual([])
})

verifies(
  'mcp.versions',
  'ping is answered, a notification is a bare 202, GET is a 405',
  async () => {
    const ping = await sendMessage(`${base}/api/mcp`, { jsonrpc: '2.0', id: 7, method: 'ping' })
    expect(await ping.text()).toContain('{"result":{},"jsonrpc":"2.0","id":7}')
    const noted = await sendMessage(`${base}/api/mcp`, {
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    })
    expect([noted.status, await noted.text()]).toEqual([202, ''])
    const got = await fetch(`${base}/api/mcp`)
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  },
)

verifies('mcp.messages', 'what is no single message of JSON-RPC is refused', async () => {
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(70)}${']'.repeat(70)}}`
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  for (const [body, code] of [
    ['{', -32700],
    ['', -32700],
    [deep, -32700],
    [`[${ping},${ping}]`, -32600],
  ] as const) {
    const answered = await sendMessage(`${base}/api/mcp`, body)
    expect(answered.status).toBe(400)
    expect(await answered.json()).toMatchObject({ error: { code } })
  }
  await expect(current.call('no_such_tool')).rejects.toMatchObject({ code: -32602 })
  expect((await sendMessage(`${base}/api/mcp`, ' '.repeat(1_100_000))).status).toBe(413)
  expect(seen).toEqual([])
})

verifies('mcp.messages', 'an argument mode leads to no other operation', async () => {
  answer = refused
  await former.call('quote_run', { mode: 'start_agent_run' })
  expect(seen.map(({ group }) => group.map(({ id }) => id))).toEqual([['quote-run']])
})

verifies('mcp.messages', 'nothing is announced, so a subscription is refused', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { _meta: meta, notifications: { toolsListChanged: true } }
  const answered = await sendMessage(
    `${base}/api/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params },
    { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
  )
  expect(await answered.json()).toMatchObject({ error: { code: -32603 } })
})

verifies('mcp.origin', 'a page of another origin is refused', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const statusFor = async (Origin: string) =>
    (await sendMessage(`${base}/api/mcp`, ping, { Origin })).status
  expect(await statusFor('https://evil.example')).toBe(403)
  expect(await statusFor('null')).toBe(403)
  expect(await statusFor('https://svc.example')).toBe(200)
  expect(await statusFor('http://localhost:6274')).toBe(200)
})

verifies('mcp.limits', 'a message that calls no tool counts for its address', async () => {
  const counted: string[] = []
  const full = {
    granted: false,
    putBack: () => undefined,
    assertGranted: () => {
      throw refuse('rate_limited', { detail: 'too many calls' })
    },
  }
  const limited = await start({
    limits: {
      address: async (address) => {
        counted.push(address)
        return full
      },
      publicCaller: unlimited.publicCaller,
    },
  })
  const url = `${limited}/api/mcp`
  const send = (method: string, params: object = {}) =>
    sendMessage(url, { jsonrpc: '2.0', id: 1, method, params })
  const listed = await send('tools/list')
  expect([listed.status, listed.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await listed.json()).toMatchObject({ code: 'rate_limited' })
  expect((await send('tools/call', { name: 'none' })).status).toBe(429)
  expect((await send('tools/call', { name: 'list_rails', arguments: {} })).status).toBe(200)
  expect(counted).toEqual(['127.0.0.1', '127.0.0.1'])
})

verifies('mcp.limits', 'a list of the tools counts as a document', async () => {
  const counted: string[] = []
  const limited = await start({
    limits: {
      address: unlimited.address,
      publicCaller: async (address, of) => {
        counted.push(`${of} of ${address}`)
        const headers = { 'RateLimit-Policy': '"documents";q=2;w=60' }
        return {
          granted: counted.length < 3,
          headers,
          putBack: () => undefined,
          assertGranted: () => {
            if (counted.length > 2) throw refuse('rate_limited', { detail: 'too many lists' })
          },
        }
      },
    },
  })
  const send = (method: string, id: string | number = 1) =>
    sendMessage(`${limited}/api/mcp`, { jsonrpc: '2.0', id, method })
  const first = await send('tools/list', '"tools":[]')
  expect(first.headers.get('ratelimit-policy')).toBe('"documents";q=2;w=60')
  const [, data = ''] = /^data: (.*)$/m.exec(await first.text()) ?? []
  const { id, result } = JSON.parse(data)
  expect(id).toBe('"tools":[]')
  expect(result.tools).toEqual(JSON.parse(JSON.stringify(tools.map(({ entry }) => entry))))
  expect([(await send('ping')).status, (await send('tools/list')).status]).toEqual([200, 200])
  const refused = await send('tools/list')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(counted).toEqual(Array.from({ length: 3 }, () => 'documents of 127.0.0.1'))
})

verifies('mcp.same-call', 'a key that is a header over HTTP is an argument', async () => {
  const args = { payload: 'x', idempotency_key: 'k-1' }
  await current.call('sign_with_active_signing_version', args)
  const [{ request }] = seen as [Seen]
  expect(JSON.parse(String(request.body))).toEqual({
    mode: 'sign_with_active_signing_version',
    payload: 'x',
  })
  expect(request.headers['idempotency-key']).toBe('k-1')
})

verifies('mcp.lenient', 'JSON alone and */* are accepted, and a version is agreed on', async () => {
  const send = async (message: object, headers: Record<string, string>) => {
    const answer = await fetch(`${base}/api/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 9, ...message }),
    })
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: await answer.text(),
    }
  }
  const ping = { method: 'ping' }
  expect(await send(ping, { accept: 'application/json' })).toMatchObject({
    status: 200,
    type: 'application/json',
    text: '{"result":{},"jsonrpc":"2.0","id":9}',
  })
  for (const accept of ['*/*', 'application/json, text/event-stream']) {
    const answered = await send(ping, { accept })
    expect([answered.status, answered.text]).toEqual([200, expect.stringContaining('"id":9')])
  }
  expect((await send(ping, { accept: 'text/html' })).status).toBe(406)
  const listed = await send({ method: 'tools/list' }, { accept: 'application/json' })
  expect(JSON.parse(listed.text).result.tools).toHaveLength(tools.length)
  const params = {
    protocolVersion: '2099-01-01',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  }
  const agreed = await send(
    { method: 'initialize', params },
    { accept: 'application/json', 'mcp-protocol-version': '2099-01-01' },
  )
  expect(JSON.parse(agreed.text).result.protocolVersion).toBe('2025-11-25')
  for (const cursor of [null, 7, 'x']) {
    const refused = await send({ method: 'tools/list', params: { cursor } }, { accept: '*/*' })
    expect(JSON.parse(refused.text)).toMatchObject({ id: 9, error: { code: -32602 } })
  }
})
