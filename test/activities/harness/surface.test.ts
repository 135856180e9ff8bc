import type { RequestListener } from 'node:http'
import { afterEach, expect } from 'vitest'
import { openSurface } from '../../../activities/harness/surface.ts'
import { startPlainServer } from '../../support/plain-server.ts'
import { verifies } from '../../verifies.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(listener: RequestListener) {
  const { seen, origin, stop } = await startPlainServer(listener)
  closers.push(stop)
  return {
    seen,
    origin,
    surface: openSurface({ base: origin, os: origin }, new AbortController().signal),
  }
}

verifies('harness.self', 'a redirect is an answer and is not followed', async () => {
  const { surface, seen, origin } = await serve((_request, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  })
  expect(await surface.send({ method: 'GET', path: '/a' })).toEqual({ status: 302, body: '' })
  expect(seen).toEqual(['GET /a'])
  expect(JSON.stringify(surface.exchanges)).not.toContain(origin)
})

verifies('harness.self', 'a full limit is waited for, three times in all', async () => {
  let calls = 0
  const { surface, seen } = await serve((_request, response) => {
    calls += 1
    if (calls === 2) response.writeHead(200).end('{"ok":true}')
    else response.writeHead(429, { 'retry-after': '0' }).end('{"code":"rate_limited"}')
  })
  expect(await surface.send({ method: 'GET', path: '/a' })).toEqual({
    status: 200,
    body: { ok: true },
  })
  expect(surface.exchanges).toHaveLength(1)
  expect((await surface.send({ method: 'GET', path: '/b' })).status).toBe(429)
  expect(seen).toEqual(['GET /a', 'GET /a', 'GET /b', 'GET /b', 'GET /b'])
})

verifies(
  'harness.transcript',
  'of a question that is repeated the last answer is kept',
  async () => {
    let state = 0
    const { surface } = await serve((_request, response) => {
      state += 1
      response.end(JSON.stringify({ state }))
    })
    const headers = { authorization: `Bearer ag_${'a1'.repeat(8)}_${'b2'.repeat(32)}` }
    const body = { mode: 'get_run_status' }
    for (let asked = 0; asked < 3; asked++)
      await surface.send({ method: 'POST', path: '/a', headers, body })
    await surface.send({ method: 'GET', path: '/b' })
    expect(surface.exchanges.map(({ response }) => response['body'])).toEqual([
      { state: 3 },
      { state: 4 },
    ])
    expect(surface.exchanges[0]?.request['headers']).toEqual({
      authorization: `Bearer ag_${'a1'.repeat(8)}_[redacted]`,
    })
  },
)

verifies('harness.suites', 'an answer of MCP is read as JSON and as an event', async () => {
  const { surface } = await serve((request, response) => {
    if (request.url !== '/api/mcp') response.end('not json')
    else response.end('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
  })
  const answer = await surface.message('tools/list', {})
  expect(answer).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } })
  expect((await surface.send({ method: 'GET', path: '/a' })).body).toBe('not json')
})

verifies('harness.self', 'an answer over the limit of bytes is none', async () => {
  const { surface } = await serve((request, response) => {
    if (request.url === '/long') response.end('x'.repeat(5 * 1024 * 1024))
    else response.destroy()
  })
  expect(await surface.send({ method: 'GET', path: '/long' })).toEqual({ status: null, body: null })
})
