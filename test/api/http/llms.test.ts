import { afterAll, beforeAll, expect } from 'vitest'
import { errorCodes } from '#domain/core/error-codes.ts'
import { createApp } from '../../../api/express.ts'
import { type Listener, listen } from '../../../api/http/listen.ts'
import { createLog } from '../../../api/http/log.ts'
import { createMetrics } from '../../../api/http/metrics.ts'
import { createPages } from '../../../api/http/pages/pages.ts'
import { operations } from '../../../api/operations/index.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { unlimited } from '../../support/unlimited.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
let site: Listener
const baseUrl = 'https://svc.example'
const osUrl = 'https://os.example'
beforeAll(async () => {
  apis = await startComposed()
  const facts = { registry: operations, baseUrl, osUrl, environment: 'local' as const }
  const app = createApp({
    registry: operations,
    baseUrl,
    osUrl,
    trustProxy: '',
    trustsLoopback: true,
    isOperator: async () => false,
    log: createLog('silent'),
    metrics: createMetrics(),
    limits: unlimited,
    call: async () => ({ answer: { status: 200, headers: {}, body: {} } }),
    host: 'base',
    pages: createPages({ ...facts, temporalUiUrl: '', rateLimits, pauses: async () => [] }),
  })
  site = await listen(app, '127.0.0.1', 0)
})
afterAll(async () => {
  await site?.stop(0)
  await apis?.stop()
})

const rateLimits = [
  { policy: 'public-reads', calls: 61, window_seconds: 60, counts: 'Reads from one address.' },
]

const read = async (name: string) => {
  const answer = await fetch(`http://127.0.0.1:${site.port}/${name}`)
  return { type: answer.headers.get('content-type'), text: await answer.text() }
}
const linksIn = (text: string) =>
  [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, url = '']) => url)

verifies('discovery.llms', 'each document that it names answers', async () => {
  const { type, text } = await read('llms.txt')
  expect(type).toBe('text/plain; charset=utf-8')
  expect(text).toMatch(/^# Agent Rails\n\n> /)
  const links = linksIn(text)
  expect(links.length).toBeGreaterThan(15)
  for (const url of links) {
    expect(url.startsWith(`${baseUrl}/`), url).toBe(true)
    const path = url.slice(baseUrl.length)
    const isPage = path === '/llms-full.txt' || path.startsWith('/rails/')
    const host = isPage ? `http://127.0.0.1:${site.port}` : apis.hosts[0]?.base
    expect((await fetch(host + path)).status, url).toBe(200)
  }
})

verifies('discovery.limits', 'it says how many calls are answered', async () => {
  const { text } = await read('llms.txt')
  expect(text).toContain('- public-reads: 61 in 60 seconds. Reads from one address.')
})

verifies('discovery.llms', 'the input schema of each rail that it names answers', async () => {
  const { text } = await read('llms.txt')
  const schemas = [...text.matchAll(/ Input: (\S+)$/gm)].map(([, url = '']) => url)
  expect(schemas.length).toBeGreaterThan(6)
  for (const url of schemas) {
    const answer = await fetch(`${apis.hosts[0]?.base}${url.slice(baseUrl.length)}`)
    expect(answer.status, url).toBe(200)
  }
})

verifies('discovery.llms', 'the full text has every operation and every refusal', async () => {
  const { text } = await read('llms-full.txt')
  for (const { id, http, summary } of operations) {
    const url = `${http.host === 'os' ? osUrl : baseUrl}${http.path}`
    const line = text.split('\n').find((one) => one.includes(`(${id}; `))
    expect(line, id).toContain(`${http.method} ${url}`)
    expect(line, id).toContain(summary)
  }
  for (const [code, { status }] of Object.entries(errorCodes))
    expect(text).toContain(`- ${status} ${code}: `)
})
