import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { artifactKinds } from '#domain/verification/verdict.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { registerAgent } from '../../../clients/typescript/src/index.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { goodToken, headerFor, signToken } from '../../vectors/artifacts.ts'
import { keySets, signedAt } from '../../vectors/keys.ts'
import { makeVectors, type Vector } from '../../vectors/make.ts'
import { verifies } from '../../verifies.ts'
import { violationsOf } from './axe.ts'
import { noBrowser, openChromium, openWatched } from './chromium.ts'
import { takeScreenshot } from './screenshots.ts'

if (noBrowser !== undefined) console.log(`browser tests skipped: ${noBrowser}`)

let stack: TestStack
let printed: string
let payoutId: string
let baseUrl: string
let uiUrl: string
let browser: Browser
let context: BrowserContext

/** Runs the walk-through as its page says: the program on standard input of Node, in the project's folder. */
async function runWalkThrough(): Promise<string> {
  const program = await (await fetch(`${baseUrl}/walk-through.mjs`)).text()
  const child = spawn(process.execPath, ['--input-type=module'], {
    cwd: packageRoot,
    env: { ...process.env, DATA_DIR: stack.dataDirectory },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(program)
  const [out, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  if (child.exitCode !== 0) throw new Error(`the walk-through failed: ${errors}`)
  return out
}

describe.skipIf(noBrowser !== undefined)('in a browser', () => {
  beforeAll(async () => {
    stack = await startStack()
    baseUrl = stack.baseUrls[0] as string
    uiUrl = stack.env['TEMPORAL_UI_URL'] as string
    printed = await runWalkThrough()
    payoutId = /po_[0-9a-f]{64}/.exec(printed)?.[0] as string
    browser = await openChromium()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
  }, 60_000)
  beforeEach(async () => {
    context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      colorScheme: 'light',
    })
    return async () => context.close()
  })

  verifies(
    'pages.policy',
    'a request to a foreign host and a console error do not go unseen',
    async () => {
      const { page, complaints } = await openWatched(context, [new URL(baseUrl).host])
      await page.setContent('<img src="https://example.com/x.png"><script>nowhere()</script>')
      await expect.poll(() => complaints.join('\n')).toContain('foreign: https://example.com/x.png')
      expect(complaints.join('\n')).toContain('uncaught: nowhere is not defined')
    },
  )

  /** Visits pages and expects that nothing in them complained. */
  async function visit(work: (page: Page) => Promise<void>): Promise<void> {
    const { page, complaints } = await openWatched(context, [
      new URL(baseUrl).host,
      new URL(uiUrl).host,
    ])
    await work(page)
    expect(complaints).toEqual([])
  }

  verifies('pages.landing', 'the page executes a payout and verifies its receipts', () => {
    expect(printed).toMatch(/^executed\s+0x[0-9a-f]{64}$/m)
    for (const kind of ['payout_created', 'payout_authorized', 'payout_executed'])
      expect(printed).toMatch(new RegExp(`^receipt\\s+${kind} true http`, 'm'))
  })

  verifies('pages.landing', 'the curl calls of the page answer JSON as they stand there', () =>
    visit(async (page) => {
      await page.goto(baseUrl, { waitUntil: 'domcontentloaded' })
      const calls = await page
        .locator('.snippet code', { hasText: /^curl (?!.*walk-through)/ })
        .allTextContents()
      const lines = calls.flatMap((call) => call.split(/(?<!\\)\n/))
      expect(lines.length).toBe(4)
      const answers = await Promise.all(
        lines.map((line) => promisify(execFile)('sh', ['-c', line])),
      )
      const [ready, contract, refusal, problem] = answers.map(({ stdout }) => JSON.parse(stdout))
      expect(ready).toMatchObject({ ok: true })
      expect(contract).toMatchObject({ service_id: 'service-trust-v1' })
      expect([refusal.code, refusal.type]).toEqual([problem.code, problem.type])
    }),
  )

  verifies(
    ['pages.landing', 'pages.policy'],
    'the front page copies its calls and leads to the reference',
    () =>
      visit(async (page) => {
        await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl })
        await page.goto(baseUrl, { waitUntil: 'domcontentloaded' })
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.emulateMedia({ reducedMotion: 'reduce' })
        await takeScreenshot(page, 'landing')
        await page.locator('.steps summary', { hasText: /^Create$/ }).click()
        const create = page.locator('.snippet', { hasText: 'payout-create' }).first()
        await create.getByRole('button', { name: 'Copy' }).click()
        await create.getByRole('button', { name: 'Copied' }).waitFor()
        expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
          "client.call('payout-create'",
        )
        await create.scrollIntoViewIfNeeded()
        await takeScreenshot(page, 'walk-through')
        await page.getByRole('navigation').getByRole('link', { name: 'API reference' }).click()
        await page.waitForURL('**/docs')
      }),
  )

  verifies(
    ['pages.phone', 'pages.policy'],
    'on a phone the front page is short and opens one section at a time',
    () =>
      visit(async (page) => {
        await page.setViewportSize({ width: 390, height: 844 })
        await page.goto(baseUrl, { waitUntil: 'domcontentloaded' })
        const size = (side: 'Width' | 'Height') =>
          page.evaluate<number>(`document.documentElement.scroll${side}`)
        expect(await size('Width')).toBe(390)
        expect(await size('Height')).toBeLessThan(7_000)
        await page.emulateMedia({ reducedMotion: 'reduce' })
        await page.evaluate("document.querySelector('.crash').scrollIntoView()")
        await takeScreenshot(page, 'landing-phone')
        await page.getByText('rails with their prices').click()
        await page.getByText('entry $49 · standard $99 · pro $249').first().waitFor()
        expect(await size('Width')).toBe(390)
        const open = page.locator('details[name="first-agent"][open]')
        expect(await open.locator('summary').allTextContents()).toEqual([
          expect.stringContaining('TypeScript'),
        ])
        await page.getByText('Python: ').click()
        expect(await open.locator('summary').allTextContents()).toEqual([
          expect.stringContaining('Python'),
        ])
        await page.locator('.groups summary', { hasText: 'payouts' }).click()
        await page.getByText('POST /api/payout-create').waitFor()
        expect(await size('Width')).toBe(390)
      }),
  )

  const pictures = [
    [1280, 'wide', 'light'],
    [360, 'tall', 'dark'],
  ] as const
  for (const [width, shown, colorScheme] of pictures)
    verifies(
      ['pages.landing', 'pages.picture'],
      `the picture at ${width} px is readable and stands still on request`,
      async () => {
        await context.close()
        context = await browser.newContext({
          viewport: { width, height: 844 },
          colorScheme,
          reducedMotion: 'reduce',
          bypassCSP: true,
        })
        const page = await context.newPage()
        await page.goto(baseUrl, { waitUntil: 'domcontentloaded' })
        await page.locator(`.crash svg.${shown}`).waitFor()
        expect(await page.locator('.crash svg:visible').count()).toBe(1)
        const scale = await page.evaluate(
          `document.querySelector('.crash svg.${shown}').getScreenCTM().a`,
        )
        expect(Number(scale) * 15).toBeGreaterThanOrEqual(12)
        const moving = () => page.evaluate('document.getAnimations().length')
        expect(await moving()).toBe(0)
        expect(await page.getByText('Pause the animation').isVisible()).toBe(false)
        expect(await violationsOf(page)).toEqual([])
        await page.emulateMedia({ reducedMotion: 'no-preference' })
        await expect.poll(moving).toBeGreaterThan(5)
        await page.getByLabel('Pause the animation').check()
        const running = "document.getAnimations().filter((one) => one.playState === 'running')"
        await expect.poll(() => page.evaluate(`${running}.length`)).toBe(0)
      },
    )

  verifies('pages.problems', 'a refusal’s type opens as a page that says what to do', () =>
    visit(async (page) => {
      const refusal = await fetch(`${baseUrl}/api/payout-status`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ payout_id: payoutId }),
      })
      const { type } = (await refusal.json()) as { type: string }
      await page.goto(type, { waitUntil: 'domcontentloaded' })
      await page.getByRole('heading', { name: 'A wallet proof is required' }).waitFor()
      await takeScreenshot(page, 'problem')
      await page.getByRole('link', { name: 'All problems' }).click()
      await page.getByRole('heading', { name: 'Problems', level: 1 }).waitFor()
      await page.getByRole('link', { name: 'settlement_pending' }).click()
      await page.getByText('joins and is not charged again').waitFor()
    }),
  )

  verifies(
    ['operate.legible', 'pages.landing', 'views.details'],
    'the Temporal UI shows a payout, its waits and its receipts',
    () =>
      visit(async (page) => {
        await page.goto(baseUrl, { waitUntil: 'domcontentloaded' })
        await page.getByRole('link', { name: 'Temporal UI' }).click()
        const link = page.getByRole('link', { name: payoutId }).first()
        await link.waitFor()
        await takeScreenshot(page, 'temporal-list')
        await link.click()
        await page.waitForURL(`**/${payoutId}/**`)
        await page
          .getByText(/Payout 1\.25 USDC/)
          .first()
          .waitFor()
        await page.getByText('checks whether the payout is idle').first().waitFor()
        await takeScreenshot(page, 'temporal-payout')
        await page.getByRole('tab', { name: 'User Metadata' }).click()
        await page.getByText('Current Details').first().waitFor()
        // Markdown without its blank line would make one paragraph of the receipts.
        const details = page.frameLocator('iframe').last()
        await details.getByRole('listitem').filter({ hasText: 'payout_executed: rc_' }).waitFor()
        const frame = await page.locator('iframe').last().boundingBox()
        const last = details.getByRole('listitem').last()
        await last.scrollIntoViewIfNeeded()
        const line = await last.boundingBox()
        const bottom = (box: { y: number; height: number } | null) =>
          box === null ? Number.NaN : box.y + box.height
        expect(bottom(line)).toBeLessThanOrEqual(bottom(frame))
        await takeScreenshot(page, 'temporal-payout-details')
      }),
  )

  const pick = (page: Page, id: string, name: string, content: string | Uint8Array) =>
    page.locator(`#${id}-file`).setInputFiles({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(content),
    })
  /** Pastes the artifact, if there is one, presses the button, and comes to the heading of the answer. */
  const judging = (pasted?: string) => `(async () => {
    const text = document.getElementById('artifact-text')
    if (${pasted !== undefined}) {
      text.value = ${JSON.stringify(pasted ?? '')}
      text.dispatchEvent(new Event('input'))
    }
    const result = document.getElementById('result')
    result.replaceChildren()
    document.getElementById('verify').click()
    while (result.firstChild === null) await new Promise((done) => setTimeout(done, 1))
    return result.querySelector('h2, p').textContent
  })()`
  /** The JWS of an attestation is a receipt. */
  const isOfAnotherKind = ({ kind, name }: Vector) =>
    `${kind}: ${name}` === 'attestation: its JWS alone' ||
    new RegExp(`^(a|the) (${artifactKinds.join('|')})( alone)?$`).test(name)
  /** The text of a vector as the page is given it: an attestation is a member of an answer. */
  function textOf({ kind, artifact }: Vector): string {
    const text = typeof artifact === 'string' ? artifact : JSON.stringify(artifact)
    return kind === 'attestation' ? text.replace(/^\s*\{.*$/s, '{"attestation":$&}') : text
  }
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click()

  verifies('verify.page', 'a receipt of this service is verified by its keys', () =>
    visit(async (page) => {
      const osUrl = stack.osUrls[0] as string
      const { registered } = await registerAgent(
        { baseUrl, osUrl, origin: baseUrl },
        {
          name: 'Verifier',
          contact: { email: 'verifier@agent.example' },
          rails: ['packetops'],
          requested_scopes: ['runs:read'],
          sandbox: true,
        },
      )
      const { jws } = registered.receipt
      const sent: string[] = []
      page.on('request', (request) => sent.push(`${request.method()} ${request.url()}`))
      await page.goto(`${baseUrl}/verify`, { waitUntil: 'networkidle' })
      const loaded = sent.length
      await pick(page, 'artifact', 'receipt.jws', jws)
      await press(page, 'Verify')
      await page.getByRole('heading', { name: '? Cannot be decided: receipt' }).waitFor()
      expect(sent).toHaveLength(loaded)
      await press(page, 'Load the keys of this service')
      await page.getByText('the keys that the service publishes now').waitFor()
      expect(sent.slice(loaded)).toEqual([`GET ${baseUrl}/.well-known/jwks.json`])
      await press(page, 'Verify')
      await page.getByRole('heading', { name: '✓ Valid: receipt' }).waitFor()
      await page.getByText('"kind": "onboarding"').waitFor()
      await takeScreenshot(page, 'verify')
      await page
        .getByLabel('Or its text')
        .first()
        .fill(`${jws.slice(0, -4)}AAAA`)
      await press(page, 'Verify')
      await page.getByText('Reason: signature_invalid').waitFor()
      expect(sent).toHaveLength(loaded + 1)
    }),
  )

  verifies(
    'verify.page',
    'the browser agrees with every vector of every kind, packages too',
    () =>
      visit(async (page) => {
        await page.goto(`${baseUrl}/verify`, { waitUntil: 'networkidle' })
        const files = Object.entries(makeVectors())
        const seen = new Set<string>()
        for (const [, { keys, vectors }] of files) {
          // The page finds the kind by itself, so what is good for another kind is valid.
          const judged = vectors
            .filter((vector) => vector.name !== 'empty' && !isOfAnotherKind(vector))
            .sort((one, other) => one.keys.localeCompare(other.keys))
          let chosen = { set: '', now: 0 }
          for (const vector of judged) {
            const { kind, name, artifact, keys: set, at, expect: expected } = vector
            const now = at ?? signedAt + 60
            if (now !== chosen.now) await page.clock.setFixedTime(now * 1000)
            if (set !== chosen.set) await pick(page, 'keys', 'keys.json', JSON.stringify(keys[set]))
            chosen = { set, now }
            const packed = kind === 'return_package' && typeof artifact === 'string'
            if (packed) await pick(page, 'artifact', 'package', Buffer.from(artifact, 'base64'))
            const text = packed ? undefined : textOf(vector)
            const shown = await page.evaluate<string>(judging(text))
            const mark = { valid: '✓ Valid', invalid: '✗ Not valid', indeterminate: '? Cannot' }
            // What has no form of any kind is not judged: no kind was chosen for it.
            const isUnknown = shown.includes('nothing that is known here')
            if (isUnknown) expect(['malformed', 'wrong_type']).toContain(expected.reason)
            // Except what readers take in two ways, which is never valid.
            const isOpen = isUnknown && !name.endsWith(' twice')
            const wanted = mark[isOpen ? 'indeterminate' : expected.verdict]
            expect(`${kind} ${name}: ${shown}`).toContain(`${kind} ${name}: ${wanted}`)
            seen.add(`${kind} ${expected.verdict}`)
          }
        }
        const valid = files.map(([kind]) => `${kind} valid`)
        expect(valid.filter((found) => !seen.has(found))).toEqual([])
      }),
    180_000,
  )

  verifies('verify.page', 'hostile files stay text and end in an answer', () =>
    visit(async (page) => {
      await page.goto(`${baseUrl}/verify`, { waitUntil: 'networkidle' })
      await press(page, 'Verify')
      await page.getByText('There is nothing to verify').waitFor()
      for (const [content, answer] of [
        ['<img src=x onerror=alert(1)>', '? Cannot be decided'],
        ['PK and no zip', '✗ Not valid'],
        ['['.repeat(99_999), '? Cannot be decided'],
      ] as const) {
        await page.evaluate("document.getElementById('result').replaceChildren()")
        await pick(page, 'artifact', 'hostile', content)
        await press(page, 'Verify')
        await page.getByRole('heading', { name: `${answer}: nothing` }).waitFor()
      }
      const claims = { iss: '<script>alert(1)</script>', sub: '\u202e', kind: 'x', iat: signedAt }
      await pick(page, 'artifact', 'receipt.jws', signToken(headerFor('receipt'), claims))
      await pick(page, 'keys', 'keys.json', JSON.stringify(keySets.current))
      await press(page, 'Verify')
      await page.getByText('"iss": "<script>').waitFor()
      await page.getByText('"sub": "\\u202e"').waitFor()
      expect(await page.locator('#result script, #result img').count()).toBe(0)
      await pick(page, 'keys', 'keys.json', '{}')
      await press(page, 'Verify')
      await page.getByText('The key document is none').waitFor()
    }),
  )

  verifies('verify.page', 'it fits a phone, light and dark, and axe finds nothing', async () => {
    for (const width of [360, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await context.close()
        context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
        await visit(async (page) => {
          await page.goto(`${baseUrl}/verify`, { waitUntil: 'networkidle' })
          for (const keys of [keySets.current, keySets.empty]) {
            await pick(page, 'artifact', 'receipt.jws', goodToken('receipt'))
            await pick(page, 'keys', 'keys.json', JSON.stringify(keys))
            await press(page, 'Verify')
            await page.locator('#result h2').waitFor()
            expect(await violationsOf(page), `${width} ${colorScheme}`).toEqual([])
            const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
            expect(wider, String(width)).toBe(0)
          }
          if (width === 360) await takeScreenshot(page, `verify-phone-${colorScheme}`)
        })
      }
  })

  verifies(
    'pages.landing',
    'the pages fit a telephone and follow the reader into the dark',
    async () => {
      await context.close()
      context = await browser.newContext({
        viewport: { width: 390, height: 844 },
        colorScheme: 'dark',
      })
      await visit(async (page) => {
        for (const path of ['/', '/problems', '/problems/settlement_pending']) {
          await page.goto(baseUrl + path, { waitUntil: 'domcontentloaded' })
          await page.getByRole('heading', { level: 1 }).waitFor()
          expect(
            await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
            path,
          ).toBe(0)
          expect(await page.evaluate('getComputedStyle(document.body).backgroundColor'), path).toBe(
            'rgb(20, 21, 23)',
          )
        }
        await takeScreenshot(page, 'problem-dark')
      })
    },
  )
})
