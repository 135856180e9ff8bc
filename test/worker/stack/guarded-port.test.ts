import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { chainPart } from '../../../worker/stack/chain.ts'
import type { Part } from '../../../worker/stack/part.ts'
import { findFree } from '../../../worker/stack/ports.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { startTemporal } from '../../support/temporal.ts'
import { verifies } from '../../verifies.ts'

let directory: string
let chain: Part
let chainPort: number
let temporal: Awaited<ReturnType<typeof startTemporal>>
let apis: ComposedApis
beforeAll(async () => {
  directory = await scratchDirectory()
  const [port = 0] = await findFree(1)
  chainPort = port
  const files = { directory: join(directory, 'chain'), logFile: join(directory, 'chain.log') }
  chain = chainPart({ ...files, port, guarded: true })
  await chain.start()
  await chain.waitReady()
  temporal = await startTemporal()
  apis = await startComposed()
})
afterAll(async () => {
  await apis?.stop()
  await temporal?.stop()
  await chain?.stop()
  await rm(directory, { recursive: true, force: true })
})

const block = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
function call(port: number, path: string, headers: Record<string, string>, body = '') {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const method = body === '' ? 'GET' : 'POST'
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = ''
      response.on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
const json = { 'content-type': 'application/json' }
const named = (port: number) => [
  'localhost',
  `localhost:${port}`,
  `127.0.0.1:${port}`,
  `[::1]:${port}`,
]
const foreign = [
  'evil.example',
  'evil.example:3000',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '10.0.0.1',
]

verifies(
  'admission.local-hosts',
  'the chain answers who names this machine, and no page of elsewhere',
  async () => {
    for (const host of named(chainPort)) {
      const { status, text } = await call(chainPort, '/', { ...json, host }, block)
      expect([status, JSON.parse(text).result], host).toEqual([200, '0x2105'])
    }
    for (const host of foreign)
      expect((await call(chainPort, '/', { ...json, host }, block)).status, host).toBe(421)
    const host = `127.0.0.1:${chainPort}`
    for (const origin of ['https://evil.example', 'null'])
      expect((await call(chainPort, '/', { ...json, host, origin }, block)).status, origin).toBe(
        421,
      )
    expect(
      (await call(chainPort, '/', { ...json, host, origin: 'http://localhost:3000' }, block))
        .status,
    ).toBe(200)
  },
)

verifies(
  'admission.local-hosts',
  'after the chain is killed and started again its port is guarded again',
  async () => {
    await chain.kill('SIGKILL')
    await expect(call(chainPort, '/', json, block)).rejects.toMatchObject({
      code: expect.stringMatching(/^ECONN/),
    })
    await chain.start()
    await chain.waitReady()
    expect((await call(chainPort, '/', { ...json, host: 'localhost' }, block)).status).toBe(200)
    expect((await call(chainPort, '/', { ...json, host: 'evil.example' }, block)).status).toBe(421)
  },
)

verifies(
  'admission.local-hosts',
  'the Temporal UI answers only requests that name this machine',
  async () => {
    const { uiPort } = temporal
    const page = () => call(uiPort, '/api/v1/settings', { host: `localhost:${uiPort}` })
    await expect.poll(async () => (await page()).status).toBe(200)
    for (const host of foreign) {
      expect((await call(uiPort, '/', { host })).status, host).toBe(421)
      expect((await call(uiPort, '/api/v1/namespaces', { host })).status, host).toBe(421)
    }
  },
)

verifies(
  'admission.local-hosts',
  '/metrics is not found under a foreign name without a credential',
  async () => {
    const port = Number(new URL(apis.hosts[0]!.base).port)
    for (const host of named(port))
      expect((await call(port, '/metrics', { host })).status, host).toBe(200)
    for (const host of foreign)
      expect((await call(port, '/metrics', { host })).status, host).toBe(404)
  },
)
