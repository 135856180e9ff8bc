import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { samplesOf } from '../../../api/http/pages/reference/samples.ts'
import { operations } from '../../../api/operations/index.ts'
import { within } from '../../support/slowness.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'
import { violationsOf } from './axe.ts'
import { noBrowser, openChromium, openWatched } from './chromium.ts'
import { takeScreenshot } from './screenshots.ts'

let stack: TestStack
let base: string
let os: string
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

async function openPage(options: { width: number; scheme: 'light' | 'dark' }): Promise<void> {
  context = await browser.newContext({
    viewport: { width: options.width, height: 860 },
    colorScheme: options.scheme,
  })
  const watched = await openWatched(context, [new URL(base).host, new URL(os).host])
  page = watched.page
  page.setDefaultTimeout(10_000)
  complaints = watched.complaints
}

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const find = (words: string) => page.getByLabel('Find an operation').fill(words)
const results = () => page.locator('#results a')
const answer = () => page.locator('#answer-of-try')
const send = () => page.getByRole('button', { name: 'Send' }).click()

describe.skipIf(noBrowser !== undefined)('the reference in a browser', () => {
  beforeAll(async () => {
    stack = await startStack()
    base = stack.baseUrls[0] as string
    os = stack.osUrls[0] as string
    browser = await openChromium()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
  }, 60_000)
  beforeEach(() => openPage({ width: 1280, scheme: 'light' }))
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  verifies('pages.reference', 'the search finds an operation by name and by field', async () => {
    await page.goto(`${base}/docs`)
    await takeScreenshot(page, 'reference')
    await page.keyboard.press('/')
    await page.keyboard.type('payout create')
    expect(await results().first().textContent()).toContain('payout-create')
    await find('principal_signature')
    await expect.poll(() => results().first().textContent()).toContain('payout-authorize')
    expect(await page.getByRole('status').textContent()).toBe('1 operation')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await heading('payout-authorize').waitFor()
  })

  verifies('pages.reference', 'a search leads to an operation of the other host', async () => {
    await page.goto(`${base}/docs/payout-create`)
    await find('preflight')
    await results().first().click()
    await page.waitForURL(`${os}/docs/preflight`)
    await heading('preflight').waitFor()
  })

  verifies('pages.reference', 'each mode of a path has an entry of its own', async () => {
    await page.goto(`${base}/docs`)
    const modes = operations.filter(({ http }) => http.path === '/api/agent-use').length
    await expect(
      page.locator('.operations li', { hasText: '/api/agent-use' }).count(),
    ).resolves.toBe(modes)
    await page.goto(`${base}/docs#quote-run`)
    await page.locator('#quote-run').getByRole('link', { name: 'quote-run' }).click()
    await heading('quote-run').waitFor()
    expect(await page.locator('.entry').textContent()).not.toContain('start_agent_run')
    await page.getByRole('tab', { name: 'curl' }).press('ArrowRight')
    await page.getByText("client.call('quote-run', {").waitFor()
    await page.getByRole('link', { name: 'agent-quote', exact: true }).click()
    await heading('agent-quote').waitFor()
    await page.getByText("client.call('agent-quote', {").waitFor()
    await takeScreenshot(page, 'reference-operation')
  })

  verifies('pages.reference', 'a call is tried on both hosts', async () => {
    await page.goto(`${base}/docs/quote-run`)
    await send()
    await answer().getByText('200 OK in').waitFor()
    await answer().getByText('"total_usd": 107').waitFor()
    await page.locator('#try').scrollIntoViewIfNeeded()
    await takeScreenshot(page, 'reference-try')
    await page.goto(`${os}/docs/handshake-read`)
    await send()
    await answer().getByText('200 OK in').waitFor()
    await answer().getByText('"nonce": "hs_').waitFor()
  })

  verifies('pages.reference', 'a credential stays in its tab until it is forgotten', async () => {
    await page.goto(`${base}/docs/operators-list`)
    const credential = page.getByLabel('Authorization')
    await credential.fill(`Bearer ${stack.accounts.operator.credential}`)
    await send()
    await answer().getByText('200 OK in').waitFor()
    await page.goto(`${base}/docs/pauses`)
    await send()
    await answer().getByText('200 OK in').waitFor()
    const other = await context.newPage()
    await other.goto(`${base}/docs/pauses`)
    expect(await other.getByLabel('Authorization').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Forget the credentials' }).click()
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('op_')
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toBe('{}')
    await send()
    await answer().getByText('401 Unauthorized').waitFor()
    complaints = complaints.filter((complaint) => !complaint.includes('401'))
  })

  verifies('pages.reference', 'an answer with markup in it stays text', async () => {
    await page.goto(`${base}/docs/callback-demo-read`)
    await page.getByLabel('receiver', { exact: true }).fill('<img src=x onerror=alert(1)>')
    await send()
    await answer().getByText('200 OK in').waitFor()
    expect(await page.locator('#answer-of-try img').count()).toBe(0)
  })

  const looks = [
    { width: 360, scheme: 'light', rules: undefined },
    { width: 1280, scheme: 'light', rules: undefined },
    // The dark pages differ in nothing but their colours.
    { width: 1280, scheme: 'dark', rules: ['color-contrast'] },
  ] as const
  for (const { width, scheme, rules } of looks)
    verifies('pages.reference', `axe finds nothing at ${width} px, ${scheme}`, async () => {
      await context.close()
      await openPage({ width, scheme })
      const paths = ['/docs', '/docs/start-agent-run', '/docs/payout-create']
      for (const url of [...paths.map((path) => base + path), `${os}/docs/preflight`]) {
        await page.goto(url)
        if (!url.endsWith('/docs')) await page.getByText('Fields of the answer').first().click()
        expect(await violationsOf(page, rules), `${url} ${width} ${scheme}`).toEqual([])
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(wider, `${url} ${width}`).toBe(0)
      }
      await page.goto(`${base}/docs/payout-create`)
      if (width === 360) await takeScreenshot(page, `reference-phone-${scheme}`)
      else if (scheme === 'dark') await takeScreenshot(page, 'reference-dark')
    })

  verifies('pages.reference', 'a page is light: 60 kB on the wire, and it is quick', async () => {
    const loaded: Promise<number>[] = []
    page.on('response', (response) =>
      loaded.push(response.body().then((body) => gzipSync(body).length)),
    )
    await page.goto(`${base}/docs/payout-create`, { waitUntil: 'networkidle' })
    const ms = await page.evaluate<number>('performance.getEntriesByType("navigation")[0].duration')
    await find('quote')
    await results().first().waitFor()
    const bytes = (await Promise.all(loaded)).reduce((sum, more) => sum + more, 0)
    console.log(`the reference: ${bytes} bytes with its search, loaded in ${Math.round(ms)} ms`)
    expect(bytes).toBeLessThan(60_000)
    expect(ms).toBeLessThan(within(5_000))
  })

  /** A sample as its reader runs it. */
  async function run(language: string, code: string): Promise<string> {
    if (language === 'TypeScript') {
      const child = spawn(process.execPath, ['--input-type=module'], {
        cwd: packageRoot,
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      child.stdin.end(code.replace(/console\.log\((.*)\)$/, 'console.log(JSON.stringify($1))'))
      const [out] = await Promise.all([text(child.stdout), once(child, 'close')])
      return out
    }
    const [program, ...args] = language === 'Python' ? ['python3', '-c'] : ['sh', '-c']
    return (await promisify(execFile)(program as string, [...args, code])).stdout
  }

  verifies('reference.examples', 'the samples run as they stand in three languages', async () => {
    const urls = { baseUrl: base, osUrl: os }
    const expected: Record<string, string> = {
      'quote-run': 'total_usd',
      'handshake-read': 'hs_',
    }
    for (const operation of operations) {
      const known = expected[operation.id]
      if (known === undefined) continue
      for (const { language, code } of samplesOf(operation, urls))
        expect(await run(language, code), `${operation.id} ${language}`).toContain(known)
    }
  })
})
