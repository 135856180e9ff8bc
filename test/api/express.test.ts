import { createServer, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { pickOperation } from '../../api/calls/body.ts'
import type { Operations } from '../../api/calls/call.ts'
import { reachOf } from '../../api/client-address.ts'
import type { CallAnswer, CallRequest } from '../../api/context.ts'
import { createApp } from '../../api/express.ts'
import { type Listener, listen } from '../../api/http/listen.ts'
import { createLog } from '../../api/http/log.ts'
import { createMetrics } from '../../api/http/metrics.ts'
import { type AnyOperation, operation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { unlimited } from '../support/unlimited.ts'
import { verifies } from '../verifies.ts'

type Seen = { operation: AnyOperation; request: CallRequest }
let seen: Seen[] = []
let written: string[] = []
let answer: (of: Seen) => Promise<CallAnswer>

const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.svc.example' }
const log = createLog('info', { write: (line) => void written.push(line) })
const metrics = createMetrics()
const call = async (group: Operations, request: CallRequest) => {
  const operation = pickOperation(group, jsonOf(request))
  seen.push({ operation, request })
  return { operation, answer: await answer({ operation, request }) }
}
const jsonOf = ({ body }: CallRequest): unknown => {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}

const withAlias = operation({
  id: 'aliased',
  summary: 'A path with an alias.',
  http: { method: 'GET', path: '/aliased.json', aliases: ['/api/aliased'], host: 'base' },
  access: 'public',
  output: z.object({}),
  handle: async () => ({ body: {} }),
})
const registry: AnyOperation[] = [...operations, withAlias]

const isOperator = async ({ authorization }: CallRequest['headers']) =>
  authorization === 'Bearer op_known'
const surface = {
  registry,
  ...urls,
  trustProxy: '',
  trustsLoopback: true,
  log,
  metrics,
  limits: unlimited,
  call,
  isOperator,
}
const listeners: Listener[] = []
const start = async (more: Partial<Parameters<typeof createApp>[0]> = {}) => {
  const listener = await listen(createApp({ ...surface, host: 'base', ...more }), '127.0.0.1', 0)
  listeners.push(listener)
  return `http://127.0.0.1:${listener.port}`
}

let base: string
let os: string
beforeAll(async () => {
  base = await start()
  os = await start({ host: 'os' })
})
beforeEach(() => {
  seen = []
  written = []
  answer = async () => ({ status: 200, headers: {}, body: { ok: true } })
})
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.stop(0)))
})

const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  headers: Record<string, string> = {},
) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })

async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return (await response.json()) as Record<string, unknown>
}

describe('a call that reaches the pipeline', () => {
  test('carries bytes, path, query, lowercase headers, address, request id', async () => {
    const response = await post('/api/payout-create', '{"a": 1}', {
      'X-Request-Id': 'trace-0001',
      'X-Some': 'Thing',
    })
    expect(await response.json()).toEqual({ ok: true })
    const [{ operation, request }] = seen as [Seen]
    expect(operation.id).toBe('payout-create')
    expect(request.body?.toString()).toBe('{"a": 1}')
    expect(request).toMatchObject({
      method: 'POST',
      path: '/api/payout-create',
      address: '127.0.0.1',
      requestId: 'trace-0001',
    })
    expect(request.headers).toMatchObject({ 'x-some': 'Thing', 'content-type': 'application/json' })
  })

  test('of a GET carries its query, with a doubled parameter as a list', async () => {
    await fetch(`${base}/api/verify-receipt?receipt=a.b.c&at=1&at=2`)
    expect(seen[0]?.request).toMatchObject({
      method: 'GET',
      body: null,
      query: { receipt: 'a.b.c', at: ['1', '2'] },
    })
  })

  test('with a doubled credential carries both', async () => {
    const url = new URL(`${base}/api/payout-status`)
    await new Promise<void>((resolve) => {
      const sent = httpRequest(url, {
        method: 'POST',
        headers: [
          ['Host', url.host],
          ['Content-Type', 'application/json'],
          ['X-Service-Wallet-Proof', 'a'],
          ['X-Service-Wallet-Proof', 'b'],
          ['Content-Length', '2'],
        ].flat(),
      })
      sent.on('response', (response) => response.resume().on('end', resolve))
      sent.end('{}')
    })
    expect(seen[0]?.request.headers['x-service-wallet-proof']).toEqual(['a', 'b'])
  })

  test('answers with the status, headers and body of the pipeline', async () => {
    answer = async () => ({
      status: 201,
      headers: { 'Idempotent-Replayed': 'true', 'PAYMENT-RESPONSE': 'e30=' },
      body: { x: '\u{1F4B8}' },
    })
    const response = await post('/api/payout-create', '{}')
    expect([
      response.status,
      response.headers.get('idempotent-replayed'),
      response.headers.get('payment-response'),
    ]).toEqual([201, 'true', 'e30='])
    expect(await response.json()).toEqual({ x: '\u{1F4B8}' })
  })

  test('may come by an alias', async () => {
    expect((await fetch(`${base}/api/aliased`)).status).toBe(200)
    expect(seen[0]?.request.path).toBe('/api/aliased')
  })

  test('may have an empty body, which the pipeline refuses', async () => {
    await post('/api/payout-create', undefined)
    expect(seen[0]?.request.body ?? '').toHaveLength(0)
  })
})

describe('modes', () => {
  test('pick the operation', async () => {
    await post('/api/delegated-authority', '{"mode":"read_control_plane"}')
    await post('/api/delegated-authority', '{"mode":"issue_mandate"}')
    expect(seen.map(({ operation }) => operation.id)).toEqual([
      'read-control-plane',
      'issue-mandate',
    ])
  })

  verifies(
    'pipeline.malformed',
    'that are unknown or missing are 400 unknown_mode with the known ones',
    async () => {
      for (const body of ['{"mode":"mint_money"}', '{}', '{"mode":["issue_mandate"]}']) {
        const response = await post('/api/delegated-authority', body)
        expect(response.status).toBe(400)
        const problem = await problemOf(response)
        expect(problem).toMatchObject({ code: 'unknown_mode', errors: [{ pointer: '/mode' }] })
        expect(problem['detail']).toContain('draft_mandate, issue_mandate')
      }
      expect(seen).toEqual([])
    },
  )

  test('of a body that is not JSON are left to the pipeline', async () => {
    await post('/api/delegated-authority', '{')
    expect(seen).toHaveLength(1)
  })
})

describe('refused before the pipeline', () => {
  verifies('pipeline.problem-json', 'an unknown path is a 404 problem', async () => {
    for (const path of [
      '/nothing',
      '/api/payout-create/',
      '/API/payout-create',
      '/%ff',
      '/api/%zz',
    ]) {
      const response = await fetch(base + path)
      expect(response.status, path).toBe(404)
      const problem = await problemOf(response)
      expect(problem).toMatchObject({
        type: 'https://svc.example/problems/not_found',
        status: 404,
        code: 'not_found',
        retryable: false,
        retry_after_ms: null,
        money_moved: 'no',
        errors: [],
        request_id: response.headers.get('x-request-id'),
      })
    }
  })

  verifies('pipeline.other-host', 'a path of the other host is a 404 that names it', async () => {
    const response = await fetch(`${base}/api/agents/tasks/tk_1/recover`, { method: 'POST' })
    expect([response.status, await problemOf(response)]).toMatchObject([
      404,
      { code: 'not_found', next_action: 'Send the same call to https://os.svc.example.' },
    ])
  })

  verifies('pipeline.malformed', 'a wrong method is a 405 with Allow', async () => {
    const got = await fetch(`${base}/api/payout-create`)
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await problemOf(got)).toMatchObject({ code: 'method_not_allowed' })
    const posted = await post('/openapi.json', '{}')
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await fetch(`${base}/api/payout-create`, { method: 'DELETE' })).status).toBe(405)
  })

  verifies(
    'pipeline.malformed',
    'a content type other than application/json is a 415',
    async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'multipart/form-data; boundary=x',
      ]) {
        const response = await post('/api/payout-create', '{}', { 'Content-Type': type })
        expect(response.status, type).toBe(415)
        expect(await problemOf(response)).toMatchObject({ code: 'unsupported_media_type' })
      }
      expect(
        (
          await fetch(`${base}/api/payout-create`, {
            method: 'POST',
            body: new Uint8Array([123, 125]),
          })
        ).status,
      ).toBe(415)
      expect((await post('/api/payout-create', '{}', { 'Content-Encoding': 'gzip' })).status).toBe(
        415,
      )
      expect(seen).toEqual([])
      expect(
        (
          await post('/api/payout-create', '{}', {
            'Content-Type': 'Application/JSON; charset=utf-8',
          })
        ).status,
      ).toBe(200)
    },
  )

  verifies(
    'pipeline.malformed',
    'a body over 64 KiB is a 413, one of exactly 64 KiB is not',
    async () => {
      expect((await post('/api/payout-create', ' '.repeat(65_536))).status).toBe(200)
      const response = await post('/api/payout-create', ' '.repeat(65_537))
      expect(response.status).toBe(413)
      expect(await problemOf(response)).toMatchObject({
        code: 'payload_too_large',
        money_moved: 'no',
      })
      expect(seen).toHaveLength(1)
    },
  )

  verifies(
    'pipeline.malformed',
    'a body of 10 MB is a 413, with or without its length',
    async () => {
      const big = new Uint8Array(10_000_000).fill(32)
      expect((await post('/api/payout-create', big)).status).toBe(413)
      const chunks = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (let at = 0; at < 10; at++) controller.enqueue(new Uint8Array(20_000).fill(32))
          controller.close()
        },
      })
      const streamed = await fetch(`${base}/api/payout-create`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: chunks,
        duplex: 'half',
      } as RequestInit)
      expect(streamed.status).toBe(413)
      expect(seen).toEqual([])
    },
  )

  verifies(
    'pipeline.malformed',
    'a body that says it has 10 MB is refused before it is sent',
    async () => {
      const socket = connect(Number(new URL(base).port), '127.0.0.1')
      const head = [
        'POST /api/payout-create HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        'Content-Length: 10000000',
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n{`)
      const first = await new Promise<string>((resolve) =>
        socket.once('data', (bytes) => resolve(bytes.toString())),
      )
      socket.destroy()
      expect(first).toMatch(/^HTTP\/1\.1 413 /)
    },
  )

  verifies(
    'pipeline.problem-json',
    'an unexpected failure is logged, and its 500 hides the cause',
    async () => {
      answer = async () => {
        throw new Error('password=hunter2')
      }
      const response = await post('/api/payout-create', '{}')
      const text = await response.text()
      expect(response.status).toBe(500)
      expect(JSON.parse(text)).toMatchObject({
        code: 'internal_error',
        money_moved: 'unknown',
        retryable: true,
      })
      expect(text).not.toMatch(/hunter2|stack|express\.ts/)
      const line = written.find((entry) => entry.includes('hunter2')) ?? '{}'
      expect(JSON.parse(line)).toMatchObject({ request_id: response.headers.get('x-request-id') })
    },
  )
})

describe('headers', () => {
  verifies('pipeline.headers', 'are on every answer, and nothing names the framework', async () => {
    const answers = [
      await post('/api/payout-create', '{}'),
      await fetch(`${base}/nothing`),
      await fetch(`${base}/api/payout-create`),
      await fetch(`${os}/healthz`),
    ]
    for (const { headers } of answers) {
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
      expect(headers.get('x-interface-version')).toBe('resolver-v0.1')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-powered-by')).toBeNull()
      expect(headers.get('etag')).toBeNull()
    }
  })

  verifies('pipeline.headers', 'a request id is kept only when it is well-formed', async () => {
    const ids = await Promise.all(
      ['4bf92f35-77b3-4da6', 'short', 'a b c d e f g', 'x'.repeat(129)].map(async (id) =>
        (await post('/api/payout-create', '{}', { 'X-Request-Id': id })).headers.get(
          'x-request-id',
        ),
      ),
    )
    expect(ids[0]).toBe('4bf92f35-77b3-4da6')
    for (const id of ids.slice(1)) expect(id).toMatch(/^req_/)
  })

  verifies('trace.id', 'a traceparent names the trace, and its calls differ', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
    const answers = await Promise.all(
      [1, 2].map(() => post('/api/payout-create', '{}', { traceparent })),
    )
    for (const { headers } of answers) expect(headers.get('x-trace-id')).toBe(traceId)
    const [first, second] = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(first).not.toBe(second)
    expect(seen.map(({ request }) => request.traceId)).toEqual([traceId, traceId])
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ trace_id: traceId })
    const problem = await problemOf(
      await fetch(`${base}/nothing`, { headers: { traceparent, 'X-Request-Id': 'given-id-1' } }),
    )
    expect(problem).toMatchObject({ trace_id: traceId, request_id: 'given-id-1' })
  })

  verifies('trace.id', 'a hostile traceparent begins a new trace', async () => {
    const hostile = [
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x',
      'x'.repeat(8000),
      `"><script>alert(1)</script>`,
      `00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01`,
    ]
    for (const traceparent of hostile) {
      const { headers } = await post('/api/payout-create', '{}', { traceparent })
      const traceId = headers.get('x-trace-id')
      expect(traceId).toMatch(/^[0-9a-f]{32}$/)
      expect(traceparent.toLowerCase()).not.toContain(traceId)
      expect(headers.get('x-request-id')).toBe(`req_${traceId}`)
    }
    const doubled = await fetch(`${base}/nothing`, {
      headers: [1, 2].map((n) => ['traceparent', `00-${`${n}a`.repeat(16)}-00f067aa0ba902b7-01`]),
    } as RequestInit)
    expect(doubled.headers.get('x-trace-id')).not.toMatch(/^([12]a){16}$/)
    expect(await doubled.json()).toMatchObject({ trace_id: doubled.headers.get('x-trace-id') })
  })

  verifies(
    'pipeline.headers',
    'of a discovery document allow five minutes of caching and an ETag',
    async () => {
      const url = `${base}/.well-known/jwks.json`
      const first = await fetch(url)
      const etag = first.headers.get('etag') ?? ''
      expect(first.headers.get('cache-control')).toBe('public, max-age=300')
      expect(etag).toMatch(/^"[\w-]{43}"$/)
      const again = await fetch(url, { headers: { 'If-None-Match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      answer = async () => ({ status: 200, headers: {}, body: { ok: false } })
      expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(200)
      answer = async () => ({ status: 503, headers: {}, body: {} })
      expect((await fetch(url)).headers.get('cache-control')).toBe('no-store')
    },
  )

  test('CORS is open for public GETs only', async () => {
    const origin = { Origin: 'https://elsewhere.example' }
    const read = await fetch(`${base}/api/trust-contract`, { headers: origin })
    expect(read.headers.get('access-control-allow-origin')).toBe('*')
    const asked = await fetch(`${base}/api/trust-contract`, { method: 'OPTIONS', headers: origin })
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD',
    ])
    const written = await post('/api/payout-create', '{}', origin)
    expect(written.headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await fetch(`${base}/api/payout-create`, {
      method: 'OPTIONS',
      headers: origin,
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      405,
      null,
    ])
  })

  test('a HEAD has the headers of its GET and no body', async () => {
    const response = await fetch(`${base}/openapi.json`, { method: 'HEAD' })
    expect([
      response.status,
      response.headers.get('content-length'),
      await response.text(),
    ]).toEqual([200, '11', ''])
    expect(seen[0]?.request.method).toBe('GET')
  })
})

describe('hosts and addresses', () => {
  test('the OS host serves health and nothing of the base host', async () => {
    expect((await fetch(`${os}/readyz`)).status).toBe(200)
    expect((await fetch(`${os}/openapi.json`)).status).toBe(404)
  })

  test('a forwarded address counts only where proxies are trusted', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.7' }
    await fetch(`${base}/openapi.json`, { headers })
    const trusting = await start({ trustProxy: '1' })
    await fetch(`${trusting}/openapi.json`, { headers })
    expect(seen.map(({ request }) => request.address)).toEqual(['127.0.0.1', '203.0.113.7'])
  })

  verifies(
    'operate.metrics',
    'metrics count calls; only this machine and operators read them',
    async () => {
      await post('/api/payout-status', '{}')
      const response = await fetch(`${base}/metrics`)
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
      const text = await response.text()
      expect(text).toMatch(
        /agent_rails_calls_total\{operation="payout-status",status="200"\} 2|agent_rails_calls_total\{operation="payout-status",status="200"\} 1/,
      )
      expect(text).toContain('agent_rails_call_seconds_bucket')
      expect(text).toContain('process_cpu_seconds_total')
      const elsewhere = (more = {}) =>
        fetch(`${base}/metrics`, { headers: { 'X-Forwarded-For': '203.0.113.7', ...more } })
      expect((await elsewhere()).status).toBe(404)
      expect((await elsewhere({ Authorization: 'Bearer op_other' })).status).toBe(404)
      expect((await elsewhere({ Authorization: 'Bearer op_known' })).status).toBe(200)
    },
  )

  verifies('operate.metrics', 'a public service asks loopback for a credential', async () => {
    const trusts = (BASE_URL: string, TRUST_LOOPBACK: 'local' | 'always' = 'local') =>
      reachOf({ BASE_URL, OS_URL: BASE_URL, TRUST_LOOPBACK, TRUST_PROXY: '' }).trustsLoopback
    expect([
      trusts('http://127.0.0.1:3000'),
      trusts('http://localhost:3000'),
      trusts('https://svc.example'),
      trusts('https://127.0.0.1.svc.example'),
      trusts('https://svc.example', 'always'),
    ]).toEqual([true, true, false, false, true])
    const at = await start({ trustsLoopback: false })
    const asked = (headers = {}) => fetch(`${at}/metrics`, { headers })
    expect((await asked()).status).toBe(404)
    expect((await asked({ Authorization: 'Bearer op_known' })).status).toBe(200)
    await fetch(`${at}/readyz`)
    await fetch(`${base}/readyz`)
    const insiders = seen.map(({ request }) => request.isInsider?.())
    expect(await Promise.all(insiders)).toEqual([false, true])
  })
})

describe('the log', () => {
  test('has operation, route, status, request id, no path, query or secret', async () => {
    const response = await fetch(`${base}/api/verify-receipt?receipt=secret.token.value`, {
      headers: { Authorization: 'Bearer op_secret' },
    })
    await fetch(`${base}/tk_secret`)
    await expect.poll(() => written.length).toBe(2)
    expect(JSON.parse(written[0] ?? '')).toMatchObject({
      operation: 'verify-receipt',
      route: '/api/verify-receipt',
      status: 200,
      method: 'GET',
      request_id: response.headers.get('x-request-id'),
    })
    expect(written.join('')).not.toMatch(/secret/)
  })

  test('redacts credentials wherever headers are logged', () => {
    const headers = {
      authorization: 's1',
      cookie: 's2',
      'payment-signature': 's3',
      'x-service-wallet-proof': 's4',
      host: 'kept',
    }
    log.info({ headers, request: { headers }, ...headers }, 'x')
    expect(written[0]).not.toMatch(/s[1-4]/)
    expect(written[0]).toContain('kept')
  })
})

describe('stopping', () => {
  test('lets a call in flight finish, and takes no new one', async () => {
    let finish: (() => void) | undefined
    answer = async () => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return { status: 200, headers: {}, body: { done: true } }
    }
    const listener = await listen(createApp({ ...surface, host: 'base' }), '127.0.0.1', 0)
    const url = `http://127.0.0.1:${listener.port}`
    const inFlight = fetch(`${url}/api/payout-create`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
    await expect.poll(() => finish).toBeDefined()
    const stopped = listener.stop(5_000)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    finish?.()
    expect(await (await inFlight).json()).toEqual({ done: true })
    await stopped
  })

  test('cuts what is not answered in time', async () => {
    const listener = await listen(createApp({ ...surface, host: 'base' }), '127.0.0.1', 0)
    const socket = connect(listener.port, '127.0.0.1')
    socket.write(
      'POST /api/payout-create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    )
    const closed = new Promise<void>((resolve) =>
      socket.on('close', () => resolve()).on('error', () => undefined),
    )
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
    await Promise.all([listener.stop(100), closed])
  })

  test('a taken port is refused by name', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await expect(
      listen(createApp({ ...surface, host: 'base' }), '127.0.0.1', port),
    ).rejects.toThrow(`127.0.0.1:${port}`)
    await new Promise((resolve) => server.close(resolve))
  })
})
