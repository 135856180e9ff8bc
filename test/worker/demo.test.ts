import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Shown } from '../../worker/stack/demo-page.ts'
import { noBrowser, openChromium, openWatched } from '../e2e/browser/chromium.ts'
import { freePortBase } from '../support/port-base.ts'
import { verifies } from '../verifies.ts'

const data = mkdtempSync(join(tmpdir(), 'agent-rails-demo-'))
const program = join(import.meta.dirname, '..', '..', 'dist', 'worker', 'cli.js')
const { BASE_URL: _viteBase, ...inherited } = process.env
let env: NodeJS.ProcessEnv
let demo: ChildProcess
let said = ''
let page: string

beforeAll(async () => {
  env = { ...inherited, DATA_DIR: data, PORT_BASE: String(await freePortBase()) }
  demo = spawn(process.execPath, [program, 'demo'], { env })
  for (const stream of [demo.stdout, demo.stderr]) stream?.on('data', (chunk) => (said += chunk))
  while (!said.includes('Ctrl-C stops everything')) {
    if (demo.exitCode !== null) throw new Error(`it ended with ${demo.exitCode}:\n${said}`)
    await sleep(100)
  }
  page = /page {8}(http\S+)/.exec(said)?.[1] ?? ''
})
afterAll(async () => {
  if (demo?.exitCode === null) {
    const ended = new Promise((resolve) => demo.once('exit', resolve))
    demo.kill('SIGINT')
    await ended
  }
  rmSync(data, { recursive: true, force: true })
})

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const origin = () => new URL(page).origin
const press = async (name: 'pay' | 'kill', from = origin()) =>
  (await fetch(page + name, { method: 'POST', headers: { Origin: from } })).status

/** What the page shows, from now on; it ends once `isEnough`. */
async function follow(isEnough: (shown: Shown) => boolean): Promise<Shown> {
  const answer = await fetch(`${page}changes`)
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString()
    const last = text.split('\n\n').at(-2)
    const shown = JSON.parse(last?.slice('data: '.length) ?? 'null') as Shown | null
    if (shown !== null && isEnough(shown)) return shown
  }
  throw new Error('the page ended')
}

verifies('stack.demo', 'a sandbox run and a payout are shown step by step', async () => {
  const steps = [...said.matchAll(/step {8}(\w+)/g)].map(([, name]) => name)
  expect(steps).toHaveLength(9)
  expect(steps[0]).toBe('intake')
  expect(steps[8]).toBe('attestation')
  expect(said).toContain('valid, by the published keys alone')
  expect(said).toMatch(/executed {4}0x[0-9a-f]{64} in block \d+/)
  expect(said.match(/verified {2}http/g)).toHaveLength(4)
  const attached = await promisify(execFile)(process.execPath, [program, 'demo'], { env })
  expect(attached.stdout).toMatch(/executed {4}0x[0-9a-f]{64}/)
  expect(attached.stdout).not.toMatch(/is up|page {8}http/)
})

verifies('stack.demo-page', 'only the page itself can use its buttons', async () => {
  const before = await follow(() => true)
  expect(await press('kill', 'http://evil.example')).toBe(403)
  expect((await fetch(`${page}kill`, { method: 'POST' })).status).toBe(403)
  expect((await fetch(`${origin()}/kill`, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${origin()}/${'a'.repeat(22)}/`)).status).toBe(404)
  expect((await fetch(`${page}../page.js`)).status).toBe(404)
  expect((await fetch(`${page}constructor`)).status).toBe(404)
  const { port, pathname } = new URL(page)
  const rebound = await new Promise((resolve, reject) => {
    const asked = { port, path: pathname, headers: { Host: 'evil.example' } }
    request(asked, ({ statusCode }) => resolve(statusCode))
      .once('error', reject)
      .end()
  })
  expect(rebound).toBe(421)
  expect(await follow(() => true)).toEqual(before)
})

verifies('stack.demo-page', 'a payment whose worker is killed thrice is one transfer', async () => {
  const { worker } = await follow(() => true)
  expect(await press('pay')).toBe(202)
  expect(await press('pay')).toBe(409)
  for (const step of ['authorize', 'execute', 'final'])
    await follow(({ payment }) => [step, 'ended', 'failed'].includes(payment?.step ?? '')).then(
      async () => {
        await follow((shown) => shown.worker.pid !== null)
        expect(await press('kill')).toBe(202)
      },
    )
  const ended = await follow(
    ({ worker: { kills }, payment }) =>
      kills === worker.kills + 3 && ['ended', 'failed'].includes(payment?.step ?? ''),
  )
  expect(ended.payment).toMatchObject({
    step: 'ended',
    error: null,
    transfers: 1,
    received_usdc: ended.payment?.amount_usdc,
  })
  expect(ended.payment?.receipt_urls).toHaveLength(4)
})

describe.skipIf(noBrowser !== undefined)('in a browser', () => {
  verifies('stack.demo-page', 'a person kills the worker and watches the payment', async () => {
    const browser = await openChromium()
    try {
      const context = await browser.newContext()
      const { page: shown, complaints } = await openWatched(context, [new URL(page).host])
      await shown.goto(page)
      await shown.getByRole('button', { name: 'Start a payment' }).click()
      await shown.locator('#pay:disabled').waitFor()
      await shown.getByRole('button', { name: 'Kill the worker' }).click()
      await shown.locator('#pay:enabled').waitFor({ timeout: 120_000 })
      expect(await shown.locator('#transfers').textContent()).toBe('1')
      expect(await shown.locator('#receipts a').count()).toBe(4)
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
    }
  })
})
