import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { type Drafts, draftNotice } from '#domain/rails/drafts/draft.ts'
import { createClient } from '../../../api/http/client.ts'
import {
  claimAccessKey,
  type OwnTask,
  openCustomer,
  registerAgent,
  waitForTask,
} from '../../../clients/typescript/src/index.ts'
import { demoUsage } from '../../../worker/stack/demo-usage.ts'

import { eventually, openRail, type Rail } from '../../support/agent.ts'
import { freshKey, openAgentUse, runInReview } from '../../support/agent-use.ts'
import { ap2Terms, issueAp2 } from '../../support/ap2-over-http.ts'
import { openAuthority, packet, usage } from '../../support/authority.ts'
import { asTokenOwner } from '../../support/faults.ts'
import { leastOf } from '../../support/least-ms.ts'
import { copyAgents } from '../../support/many-agents.ts'
import { quotesFirst, startModelServer } from '../../support/model-server.ts'
import { startOidcIssuer } from '../../support/oidc-issuer.ts'
import { requestedPilot } from '../../support/pilots.ts'
import { codeOf } from '../../support/problems.ts'
import { decide, newAgentClient } from '../../support/registering-agent.ts'
import { within } from '../../support/slowness.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { treasurySteps } from '../../support/treasury-steps.ts'
import { workflowInput } from '../../support/workflows.ts'
import { verifies } from '../../verifies.ts'
import { violationsOf } from './axe.ts'
import { noBrowser, openChromium, openWatched } from './chromium.ts'
import { takeScreenshot } from './screenshots.ts'

/** A task of the page that blocks it for longer is felt; the machine is shared with other tests. */
const LONG_TASK_MS = 300

let stack: TestStack
let rail: Rail
let model: Awaited<ReturnType<typeof startModelServer>>
let base: string
let os: string
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]
/** The cookies of a session, which the tests share until one of them ends it. */
let session: Awaited<ReturnType<BrowserContext['storageState']>> | undefined

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const open = (path: string) => page.goto(`${base}/console${path}`)

const newOperator = () =>
  createClient({ baseUrl: base, operator: stack.accounts.operator.credential })

async function signIn(on: Page, at = base): Promise<void> {
  await on.goto(`${at}/console/sign-in`)
  await on.getByLabel('Operator credential').fill(stack.accounts.operator.credential)
  await on.getByRole('button', { name: 'Sign in' }).click()
  await on.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
}

/** Opens the waiting decision of a kind and decides it by keyboard, with a note. */
async function decideNext(kind: string, key: 'a' | 'r', note: string): Promise<void> {
  await open('/')
  await page
    .getByRole('link', { name: `Decide: ${kind}`, exact: true })
    .first()
    .click()
  await heading(`Review: ${kind}`).waitFor()
  await page.getByRole('heading', { name: 'Decision' }).waitFor()
  await page.keyboard.press(key)
  await page.keyboard.type(note)
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Decided' }).waitFor()
}

describe.skipIf(noBrowser !== undefined)('the console in a browser', () => {
  beforeAll(async () => {
    model = await startModelServer()
    model.behavior.now = quotesFirst
    stack = await startStack({
      env: {
        EXECUTE_WAIT_MS: '1500',
        SWEEP_EVERY_MS: '300',
        KEY_PUBLISH_S: '3',
        MODEL_URL: model.url,
        MODEL_NAME: 'test-model',
        MODEL_PRIVATE_ADDRESS: 'allowed',
      },
    })
    rail = await openRail(stack)
    base = stack.baseUrls[0] as string
    os = stack.osUrls[0] as string
    browser = await openChromium()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await rail?.stop()
    await stack?.stop()
    await model?.stop()
  }, 60_000)
  beforeEach(async () => {
    context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      ...(session && { storageState: session }),
    })
    const watched = await openWatched(context, [new URL(base).host])
    page = watched.page
    page.setDefaultTimeout(10_000)
    complaints = watched.complaints
    if (session === undefined) await signIn(page)
    session = await context.storageState()
    await page.goto('about:blank')
    complaints.length = 0
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  verifies(
    'console.stories',
    'the four decisions of a first purchase need no id and no JSON',
    async () => {
      const hosts = { baseUrl: base, osUrl: os }
      const agent = await registerAgent(hosts, manifest('first-purchase', 'Usage watcher'))
      await decideNext('agent', 'a', 'known to us')
      const customer = openCustomer(agent, await claimAccessKey(agent), 'first-purchase')
      const task = await buy(customer, 'first-purchase')
      await decideNext('payment', 'a', 'the money is on our account')
      await customer.submit(task.own, task.contract, demoUsage)
      await decideNext('task', 'a', 'may run')
      const { run_id } = (await waitForTask(task.own, 'operating')).task
      await eventually(() => waits(run_id ?? ''), Boolean)
      await open(`/work/${task.own.begun.task.task_id}`)
      await page.getByText('Step 7 of 9: review step').waitFor()
      await page.getByRole('link', { name: 'Review it' }).click()
      await page.getByText('cost by day: cost minor').waitFor()
      await page.getByRole('radio', { name: 'Met', exact: true }).check()
      await page.getByLabel(/^Note on/).fill('compared with the invoice')
      await takeScreenshot(page, 'console-review')
      await page.getByRole('button', { name: /^approve/ }).click()
      await page.keyboard.type('the result holds')
      await page.getByRole('button', { name: 'Record: approve' }).click()
      await page.getByRole('heading', { name: 'Decided' }).waitFor()
      await waitForTask(task.own, 'closed')
      const read = await customer.client.call('self-serve-loop-read', { run_id: run_id ?? '' })
      expect(JSON.stringify(read.body)).toContain('compared with the invoice')
    },
  )

  verifies('console.stories', 'a run is revised by another parameter and approved', async () => {
    const hosts = { base, os }
    const { credential } = stack.accounts.operator
    const agent = await registerAgent(
      { baseUrl: base, osUrl: os },
      manifest('revised', 'Budget watcher'),
    )
    const approve = (kind: Parameters<typeof decide>[4] & object, id: string) =>
      decide(hosts, credential, id, 'approve', kind)
    await approve({}, agent.registered.agent.agent_id)
    const customer = openCustomer(agent, await claimAccessKey(agent), 'revised')
    const { own, contract, payment } = await buy(customer, 'revised')
    await approve({ subject_kind: 'payment_reference' }, payment)
    await customer.submit(own, contract, demoUsage)
    await approve({ subject_kind: 'task' }, own.begun.task.task_id)
    const { run_id } = (await waitForTask(own, 'operating')).task
    await eventually(() => waits(run_id ?? ''), Boolean)
    await open('/')
    await page.getByRole('link', { name: 'Decide: run result' }).first().click()
    await heading('Review: run result').waitFor()
    await page.getByRole('button', { name: /^revise/ }).click()
    await page.getByLabel(/^budget minor/).fill('2000')
    await page.getByLabel(/^Note/).last().fill('the budget is 20 USD')
    await takeScreenshot(page, 'console-revise')
    await page.getByRole('button', { name: 'Record: revise' }).click()
    await page.getByRole('heading', { name: 'Decided' }).waitFor()
    await eventually(() => waits(run_id ?? ''), Boolean)
    await open(`/review/${run_id}`)
    await page.getByText('exceeded').first().waitFor()
    await page.getByRole('button', { name: /^approve/ }).click()
    await page.keyboard.type('now it holds')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Decided' }).waitFor()
    await waitForTask(own, 'closed')
    await openPackage(own.token)
  })

  /** Follows the status link of a task to its return package, which works on a phone, in light and dark. */
  async function openPackage(token: string): Promise<void> {
    await page.goto(`${base}/api/agents/status/${token}`)
    await page.getByRole('link', { name: 'Open the return package' }).click()
    await heading('✓ Verified: the result of tokenops').waitFor()
    await page.getByText('approve (loop step)').waitFor()
    await takeScreenshot(page, 'return-package')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the JSON' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^rp_[0-9a-f]{64}\.json$/)
    for (const colorScheme of ['light', 'dark'] as const) {
      // No script runs in the page as it is, so a browser without its policy looks at it.
      const viewport = { width: 360, height: 780 }
      const lenient = await browser.newContext({ bypassCSP: true, viewport, colorScheme })
      const copy = await lenient.newPage()
      await copy.goto(page.url())
      expect(await violationsOf(copy)).toEqual([])
      expect(await copy.evaluate('document.documentElement.scrollWidth')).toBe(360)
      await lenient.close()
    }
    await page.getByRole('link', { name: 'the result of a run was attested' }).first().click()
    await heading(/^✓ Verified: the result of a run was attested/).waitFor()
  }

  async function waits(id: string): Promise<boolean> {
    const answer = await fetch(`${base}/api/operator/inbox?limit=100`, {
      headers: { authorization: `Bearer ${stack.accounts.operator.credential}` },
    })
    const { items } = (await answer.json()) as { items: { id: string }[] }
    return items.some((item) => item.id === id)
  }

  verifies('console.drafts', 'a reviewer sees what a model drafted as text', async () => {
    const buyer = await openAgentUse({ base, os }, stack.accounts.operator.credential)
    const text = 'Do you offer <img src=x onerror=alert(3)> escrow of source code?'
    const sample = diligenceops.sandboxInput
    const input = { ...sample, questions: [...sample.questions, { id: 'ESC-2', text }] }
    const { run_id } = await runInReview(buyer, 'diligenceops', { input })
    await open(`/review/${run_id}`)
    const drafts = page.getByRole('region', { name: 'Drafts of a model' })
    await drafts.getByRole('heading', { name: text }).waitFor()
    expect(await drafts.getByRole('note').textContent()).toBe(`${draftNotice} Model: test-model.`)
    const { evidence } = (await newOperator().call('loop-review-console', { subject_id: run_id }))
      .body
    const content = evidence?.parts.find(({ name }) => name === 'drafts')?.content as Drafts
    expect(content.drafts.map(({ about }) => about)).toContain('ESC-2')
    for (const { sentences } of content.drafts)
      for (const { citations } of sentences)
        for (const { quote, pointer } of citations) {
          expect(await drafts.locator('q').allTextContents()).toContain(quote)
          expect(await drafts.locator('code').allTextContents()).toContain(pointer)
        }
    await drafts.scrollIntoViewIfNeeded()
    await takeScreenshot(page, 'console-drafts')
  })

  verifies('console.stories', 'a stuck payout is found, understood and woken', async () => {
    const agent = await rail.openAgent()
    const payout = await rail.authorized(agent)
    await asTokenOwner(rail, 'pause')
    const execute = () =>
      agent.client.call('payout-execute', {
        payout_id: payout.payout_id,
        idempotency_key: 'execute',
      })
    await eventually(execute, ({ body }) => /token is paused/.test(body.payout.next_action))
    await open('/')
    await page.getByRole('link', { name: 'Recover: payout' }).click()
    await heading(/^Payout/).waitFor()
    await page.getByText('the token is paused').first().waitFor()
    await takeScreenshot(page, 'console-payout')
    await asTokenOwner(rail, 'unpause')
    await page.getByLabel('Reason').fill('the issuer unpaused the token')
    await page.getByRole('button', { name: 'Carry out' }).click()
    await page.getByText('done; it is').waitFor()
    await page.getByText('payout executed', { exact: true }).waitFor({ timeout: 30_000 })
    await page.getByText(/^nonce \d+ of 0x/).waitFor()
    await page.getByText('Traces', { exact: true }).waitFor()
    await page
      .getByText(/^[0-9a-f]{32}$/)
      .first()
      .waitFor()
  })

  verifies('console.forgery', 'the text of an agent is text in every page', async () => {
    const markup = '</td><script>alert(2)</script><img src=x onerror=alert(1)>'
    const name = `Evil ${markup}${'W'.repeat(50)}`
    const agent = await registerAgent({ baseUrl: base, osUrl: os }, manifest('evil', name))
    const id = agent.registered.agent.agent_id
    for (const hidden of ['a\u202Eb', 'a\u2066b', 'a\u001b[31mb']) {
      const refused = newAgentClient({ base, os }).register({ name: hidden })
      await expect(refused).rejects.toThrow('control characters')
    }
    const { credential } = stack.accounts.operator
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
    const shows = async (path: string, text = markup) => {
      await open(path)
      await page.getByText(text).first().waitFor()
      expect(await page.locator('main script, main img').count(), path).toBe(0)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width, path).toBeLessThanOrEqual(1280)
    }
    for (const path of ['/', '/agents', `/agents/${id}`, `/review/${id}`]) await shows(path)
    await decide({ base, os }, credential, id, 'approve')
    const customer = openCustomer(agent, await claimAccessKey(agent), 'evil')
    const { own, payment } = await buy(customer, 'evil', `Please ${markup}`)
    const task = own.begun.task.task_id
    await newOperator()
      .call('pause-set', {
        scope: 'payout',
        target: `po_${'0'.repeat(64)}`,
        paused: true,
        reason: markup,
        idempotency_key: 'evil-pause',
      })
      .catch(() => undefined)
    const pages = [
      [`/review/${payment}`, /^Review/],
      [`/work/${task}`, /^Task/],
    ] as const
    for (const [path, title] of pages) {
      await open(path)
      await heading(title).waitFor()
      expect(await page.locator('main script, main img').count(), path).toBe(0)
    }
    const policy = (await fetch(`${base}/console/`)).headers.get('content-security-policy')
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe-eval|\*|script-src[^;]*unsafe-inline/)
  })

  verifies(
    'console.races',
    'of two operators at once one decides, the other reads why',
    async () => {
      const { agent } = await newAgentClient({ base, os }).register()
      const other = await browser.newContext()
      const second = await other.newPage()
      await signIn(second)
      for (const one of [page, second]) {
        await one.goto(`${base}/console/review/${agent.agent_id}`)
        await one.getByRole('button', { name: /^approve/ }).click()
        await one.getByLabel(/^Note/).fill('both at once')
      }
      const record = (one: Page) => one.getByRole('button', { name: 'Record: approve' }).click()
      await Promise.all([record(page), record(second)])
      const decided = (one: Page) => one.getByRole('heading', { name: 'Decided' }).count()
      const late = (one: Page) => one.getByText('another operator decided first').count()
      await eventually(
        async () => [
          await decided(page),
          await decided(second),
          await late(page),
          await late(second),
        ],
        (found) => found.reduce((sum, count) => sum + count, 0) === 2,
      )
      expect((await decided(page)) + (await decided(second))).toBe(1)
      const loser = (await late(page)) === 1 ? page : second
      await loser.getByRole('alert').getByText('trusted').waitFor()
      expect(await loser.getByText('The evidence changed').count()).toBe(0)
      const detail = await newOperator().call('agent-read', { agent_id: agent.agent_id })
      expect(detail.body.decisions).toHaveLength(1)
      await other.close()
      complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('409')))
    },
  )

  verifies('console.pilots', 'a pilot is found in the list of pilots and closed', async () => {
    const { pilot } = await requestedPilot(base, { desired_start: '2030-01-07' })
    const { credential } = stack.accounts.operator
    await decide({ base, os }, credential, pilot.pilot_id, 'approve', { subject_kind: 'pilot' })
    await open('/pilots?state=activated')
    await page.getByRole('cell', { name: '2030-01-07' }).waitFor()
    await page.getByRole('link', { name: 'Northwind GmbH' }).click()
    await heading('Review: pilot').waitFor()
    await page.getByText('Reject closes the pilot.').waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('the client does not answer')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Decided' }).waitFor()
    await page.getByRole('link', { name: 'In the list of pilots' }).click()
    await page.getByRole('row', { name: /Northwind GmbH.*closed/ }).waitFor()
  })

  verifies('console.races', 'a page whose session is ended shows nothing more', async () => {
    const { credential } = stack.accounts.operator
    const { operator_id } = (await newOperator().call('session-read', {})).body.session
    await open('/agents')
    await heading('Agents').waitFor()
    await fetch(`${base}/api/operator/session/end`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operator_id }),
    })
    session = undefined
    await newAgentClient({ base, os }).register()
    await heading(/^Sign in/).waitFor()
    expect(await page.getByRole('table').count()).toBe(0)
    complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('401')))
  })

  verifies(
    'console.races',
    'a page follows changes again after the service restarted',
    async () => {
      await open('/agents')
      await page.getByText('Live', { exact: true }).waitFor()
      await stack.api().kill('SIGKILL')
      await page.getByText('Connecting').waitFor()
      await stack.api().start()
      await stack.api().waitReady()
      await page.getByText('Live', { exact: true }).waitFor()
      const name = `After the restart ${Date.now()}`
      await newAgentClient({ base, os }).register({ name })
      await page.getByText(name).waitFor()
      complaints.length = 0
    },
  )

  verifies('console.keys', 'an agent is trusted with limits, and its key is revoked', async () => {
    const agent = await registerAgent({ baseUrl: base, osUrl: os }, manifest('limited', 'Limited'))
    const id = agent.registered.agent.agent_id
    await open(`/review/${id}`)
    await page.getByRole('button', { name: /^approve/ }).click()
    await page.getByLabel(/^Most to pay at once/).fill('250')
    await page.getByLabel(/^Runs at once/).fill('2')
    await page.getByLabel(/^Note/).fill('a small budget first')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Record: approve' }).click()
    await page.getByRole('heading', { name: 'Decided' }).waitFor()
    await claimAccessKey(agent)
    await open(`/agents/${id}`)
    await page.getByText('at most 250.00 USD at once; 2 runs at once').first().waitFor()
    await page.getByRole('button', { name: 'Change the limits' }).click()
    const change = page.getByRole('dialog', { name: 'Change the limits' })
    await change.getByLabel(/^Runs at once/).fill('3')
    await change.getByLabel(/^Reason/).fill('it works well')
    expect(await violationsOf(page)).toEqual([])
    await change.getByRole('button', { name: 'Change the limits' }).click()
    await change.getByText('Done. Receipt').waitFor()
    await change.getByRole('button', { name: 'Close' }).click()
    await page.getByText('at most 250.00 USD at once; 3 runs at once').first().waitFor()
    await takeScreenshot(page, 'console-agent')
    await page.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke the access key' })
    await dialog.getByLabel(/^Reason/).fill('it leaked')
    expect(await violationsOf(page)).toEqual([])
    await takeScreenshot(page, 'console-revoke')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByText('Done. Receipt').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('revoked', { exact: true }).waitFor()
  })

  verifies(
    ['console.authority', 'console.forgery'],
    'a mandate is revoked, and its next action is refused',
    async () => {
      const authority = await openAuthority([{ base, os }], stack.accounts.operator.credential)
      const purpose = 'Record <img src=x onerror=alert(1)> what was used.'
      const mandate = await authority.issue({ purpose })
      const action = { ...usage(), idempotency_key: freshKey() }
      const { signed_action_grant } = await authority.grant(mandate, action)
      const execute = () => authority.execute(mandate, signed_action_grant, action)
      const executed = await eventually(() => execute().catch(() => undefined), Boolean, 30_000)
      const action_id = executed?.body.delegated_action.action_id ?? ''
      await authority.evaluate(mandate, usage({ rail: 'diligenceops' }))
      const next = usage()
      const unused = await authority.grant(mandate, next, 300)

      await open('/authority')
      await heading('Delegated authority').waitFor()
      await page.getByLabel(/^Id of a mandate/).fill(mandate.mandate_id)
      await page.keyboard.press('Enter')
      await page.getByText('0 USD of 500 USD').waitFor()
      await page.getByRole('link', { name: `${mandate.mandate_id.slice(0, 14)}…` }).click()
      await heading(/^Mandate active/).waitFor()
      await page.getByText('0 USD of 500 USD used, 500 USD left').waitFor()
      await page.getByText(purpose).waitFor()
      expect(await page.locator('main script, main img').count()).toBe(0)
      await page.getByText('the mandate does not name the rail diligenceops').waitFor()
      await page.getByText('unused', { exact: true }).waitFor()
      await takeScreenshot(page, 'console-mandate')

      await open('/authority/actions')
      await page.getByText(`${action_id.slice(0, 14)}…`).waitFor()
      await page.getByText('operation_allowed').first().waitFor()
      const links = page.getByRole('link', { name: 'Temporal' })
      expect(await links.first().getAttribute('href')).toContain('/workflows/delegation-da_')
      await takeScreenshot(page, 'console-actions')
      await open('/authority/grants')
      await page.getByLabel('State').selectOption('issued')
      await page.getByRole('button', { name: 'Search' }).click()
      const rows = page.locator('tbody tr')
      const issued = rows.filter({ hasText: `${unused.grant_id.slice(0, 14)}…` })
      await issued.waitFor()
      await takeScreenshot(page, 'console-grants')
      await issued.getByRole('link', { name: `${mandate.mandate_id.slice(0, 14)}…` }).click()

      await page.getByRole('button', { name: 'Revoke' }).click()
      const dialog = page.getByRole('dialog', { name: 'Revoke the mandate' })
      await dialog.getByLabel(/^Reason/).fill('the work is done')
      expect(await violationsOf(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await dialog.getByText('Done. Receipt').waitFor()
      const refused = authority.execute(mandate, unused.signed_action_grant, next)
      expect(await codeOf(refused)).toBe('authority_denied')
      await dialog.getByRole('button', { name: 'Close' }).click()
      await heading(/^Mandate revoked/).waitFor()
      await page.getByText(/: the work is done$/).waitFor()
      await page.getByText('the mandate is revoked').first().waitFor()
      expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
    },
  )

  verifies('console.authority', 'a mandate shows what its workflows were charged', async () => {
    const scopes = ['production:write'] as const
    const authority = await openAuthority(
      [{ base, os }],
      stack.accounts.operator.credential,
      scopes,
    )
    const wallet_id = await authority.fundedWallet(49)
    const limits = { per_action_usd: 49, total_usd: 490, actions_max: 10 }
    const allowed_operations = ['customer-workflow-create']
    const mandate = await authority.issue({ allowed_operations, limits })
    const made = async (name: string) => {
      const input = workflowInput({ BASE_URL: base }, wallet_id, {
        tier: 'entry',
        name,
        input: packet,
      })
      const action = {
        operation_id: 'customer-workflow-create',
        input,
        idempotency_key: freshKey(),
      }
      const { signed_action_grant } = await authority.grant(mandate, action)
      const execute = () => authority.execute(mandate, signed_action_grant, action)
      const { body } = await execute()
      return (body.delegated_action.result['workflow'] as { workflow_id: string }).workflow_id
    }
    const about = { subject_kind: 'workflow' } as const
    const decideOn = (id: string, decision: 'approve' | 'reject') =>
      decide({ base, os }, stack.accounts.operator.credential, id, decision, about)
    const fires = await made('Packet <b>each day</b>')
    await decideOn(fires, 'approve')
    await decideOn(await made('Never wanted'), 'reject')
    const mode = 'run_workflow' as const
    const run = { mode, workflow_id: fires, idempotency_key: freshKey() }
    await authority.client.call('customer-workflow-run', run)
    const firing = await eventually(
      async () =>
        (await authority.client.call('customer-workflow-read', { workflow_id: fires })).body
          .items[0]?.firings[0],
      (one) => one?.state === 'started' || one?.state === 'refused',
      30_000,
    )
    expect(firing).toMatchObject({ state: 'started', charged_usd: 0 })
    await open(`/authority/mandates/${mandate.mandate_id}`)
    await page.getByText('49 USD of 490 USD used, 441 USD left').waitFor()
    const firings = page.locator('section[aria-label="Charged firings"]')
    await firings.getByText('Packet <b>each day</b>').waitFor()
    await firings.getByText('paid by its action').waitFor()
    await page.getByText('used by a run').waitFor()
    await page.getByText('given back').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await firings.scrollIntoViewIfNeeded()
    await takeScreenshot(page, 'console-mandate-firings')
  })

  verifies('console.authority', 'a mandate of AP2 is shown with its terms', async () => {
    const authority = await openAuthority([{ base, os }], stack.accounts.operator.credential)
    const { mandate_id } = await issueAp2(authority.console, ap2Terms(authority.agent_id, 1000.5))
    await open('/authority')
    await page.getByLabel('Kind').selectOption('ap2')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: `${mandate_id.slice(0, 14)}…` }).click()
    await heading(/^AP2 mandate active/).waitFor()
    await page.getByText('0.00 USD of 1,000.50 USD used, 1,000.50 USD left').waitFor()
    await page.getByText('payment.budget').waitFor()
    await page.getByText('No payment yet').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await takeScreenshot(page, 'console-mandate-ap2')
  })

  verifies('console.authority', 'a mandate of a payout is found and revoked', async () => {
    const steps = treasurySteps(rail)
    const payout = await rail.create(await rail.openAgent(), { amount_usdc: '2.50' })
    const expiresAt = Math.floor(Date.now() / 1000) + 3600
    await steps.prepare(payout, { expiresAt, idempotencyKey: freshKey() })
    await open('/authority')
    await page.getByLabel('Kind').selectOption('payout')
    await page.getByLabel(/^Id of a mandate/).fill(payout.payout_id)
    await page.keyboard.press('Enter')
    await page.getByText('0 of 1 payouts').waitFor()
    await page.getByText('0 USDC of 2.5 USDC').waitFor()
    await takeScreenshot(page, 'console-mandates-payout')
    const found = page.locator('tbody').getByRole('link', { name: /^mdt_/ })
    await expect.poll(() => found.count()).toBe(1)
    await found.click()
    await heading(/^Payout mandate active/).waitFor()
    await page.getByText('0 USDC of 2.5 USDC used, 2.5 USDC left').waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke the mandate' })
    await dialog.getByLabel(/^Reason/).fill('the invoice was wrong')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByText('Done. Receipt').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await heading(/^Payout mandate revoked/).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await takeScreenshot(page, 'console-mandate-payout')
    await page.getByRole('link', { name: payout.payout_id.slice(0, 18) }).click()
    await page.waitForURL(`**/work/${payout.payout_id}`)
  })

  verifies('console.rings', 'a rotation is begun, its steps are seen, and hastened', async () => {
    await open('/keys')
    await heading('Signing keys').waitFor()
    const ring = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { level: 2, name: 'callback', exact: true }) })
    await ring.getByRole('button', { name: 'Rotate', exact: true }).click()
    const begin = page.getByRole('dialog', { name: 'Rotate the ring callback' })
    await begin.getByLabel('Overlap').selectOption('An hour')
    await begin.getByLabel(/^Reason/).fill('a year old')
    expect(await violationsOf(page)).toEqual([])
    await begin.getByRole('button', { name: 'Rotate', exact: true }).click()
    await begin.getByText('Done. Receipt').waitFor()
    await begin.getByRole('button', { name: 'Close' }).click()
    await ring.getByText('Rotation under way').waitFor()
    await ring.getByText('a year old').waitFor()
    const current = ring.locator('[aria-current=step]')
    await current.getByText('Next key signs').waitFor({ timeout: 30_000 })
    await ring.getByText('retiring', { exact: true }).waitFor()
    expect(await ring.getByRole('button', { name: 'Rotate', exact: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Rotate every ring' }).count()).toBe(0)
    expect(await violationsOf(page)).toEqual([])
    await ring.scrollIntoViewIfNeeded()
    await takeScreenshot(page, 'console-rotation')

    await ring.getByRole('button', { name: 'Rotate and revoke' }).click()
    const replace = page.getByRole('dialog', { name: 'Replace a stolen key of the ring callback' })
    await replace.getByLabel(/^Reason/).fill('it leaked')
    await replace.getByRole('button', { name: 'Rotate and revoke' }).click()
    await replace.getByText('Done. Receipt').waitFor()
    await replace.getByRole('button', { name: 'Close' }).click()
    await ring.getByText('Last rotation').waitFor({ timeout: 30_000 })
    await ring.getByText('revoked', { exact: true }).first().waitFor()
    expect(await ring.getByText('active', { exact: true }).count()).toBe(1)
  })

  verifies('console.session', 'without its session a page shows nothing', async () => {
    const cookies = await context.cookies()
    expect(cookies.find(({ name }) => name === 'agent_rails_session')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
    })
    session = undefined
    await open('/')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(/^Sign in/).waitFor()
    await open('/money')
    await heading(/^Sign in/).waitFor()
    complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('401')))
  })

  describe('with an issuer and a block explorer', () => {
    let issuer: Awaited<ReturnType<typeof startOidcIssuer>>
    let other: string
    beforeAll(async () => {
      issuer = await startOidcIssuer('agent-rails:operate')
      const index = await stack.startApi((baseUrl) => ({
        BASE_URL: baseUrl,
        OPERATOR_OIDC_ISSUER: issuer.issuer,
        OPERATOR_OIDC_CLIENT_ID: issuer.client,
        BLOCK_EXPLORER_URL: 'https://explorer.example',
        TRACE_UI_URL: 'https://traces.example',
      }))
      other = stack.baseUrls[index] as string
      issuer.serve(other)
    })
    afterAll(() => issuer?.stop())

    verifies('console.session', 'an operator signs in at the issuer', async () => {
      await context.clearCookies()
      const { page: own, complaints: wrong } = await openWatched(context, [
        new URL(other).host,
        new URL(issuer.issuer).host,
      ])
      await own.goto(`${other}/console/sign-in`)
      await own.getByRole('link', { name: 'Continue with your organisation' }).click()
      await own.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
      await own.getByText('Ada', { exact: true }).waitFor()
      expect(wrong.filter((one) => !one.includes('401'))).toEqual([])
    })

    verifies('console.stories', 'transfers and traces link to where they are shown', async () => {
      const agent = await rail.openAgent()
      const { payout_id } = await rail.authorized(agent)
      const execute = () =>
        agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
      const executed = await eventually(execute, ({ body }) => body.payout.state === 'executed')
      const { transaction_hash } = executed.body.payout.transfer
      const links = page.getByRole('link', { name: 'block explorer' })
      await open(`/work/${payout_id}`)
      await page.getByText('payout executed', { exact: true }).waitFor()
      expect(await links.count()).toBe(0)

      const configured = await browser.newContext()
      const own = await configured.newPage()
      await signIn(own, other)
      await own.goto(`${other}/console/work/${payout_id}`)
      const link = own.getByRole('link', { name: 'block explorer' }).first()
      expect(await link.getAttribute('href')).toBe(
        `https://explorer.example/tx/${transaction_hash}`,
      )
      const trace = own.getByRole('link', { name: 'open the trace' }).first()
      expect(await trace.getAttribute('href')).toMatch(
        /^https:\/\/traces\.example\/trace\/[0-9a-f]{32}$/,
      )
      await configured.close()
    })

    /** Signs in without a browser; the status of the last answer. */
    async function signInAt(forget = false): Promise<number> {
      const begun = await fetch(`${other}/console/oidc/begin`, { redirect: 'manual' })
      const [cookie = ''] = begun.headers.getSetCookie()
      expect(cookie).toMatch(/HttpOnly; SameSite=Lax$/)
      const asked = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
      const headers = forget ? {} : { cookie: cookie.split(';')[0] ?? '' }
      const back = asked.headers.get('location') ?? ''
      const { status } = await fetch(back, { redirect: 'manual', headers })
      return status
    }

    verifies('console.session', 'wrong tokens do not sign in', async () => {
      expect(await signInAt()).toBe(302)
      expect(await signInAt(true)).toBe(401)
      const wrong: Parameters<typeof issuer.bend>[0][] = [
        { id: { nonce: 'another' } },
        { id: { aud: 'another client' } },
        { id: { iss: 'http://127.0.0.1:1' } },
        { id: { sub: 'eve' } },
        { stranger: true },
        { access: { scope: 'openid' } },
        { access: { aud: 'another service' } },
        { access: { sub: 'eve' } },
        { accessTyp: 'JWT' },
      ]
      for (const bend of wrong) {
        issuer.bend(bend)
        expect(await signInAt(), JSON.stringify(bend)).toBe(401)
      }
      issuer.bend({})
      expect(await signInAt()).toBe(302)
    })
  })

  verifies(
    'pages.documents',
    'a receipt opens as a page, and leads to the one before it',
    async () => {
      const payout = await rail.authorized(await rail.openAgent())
      await open(`/work/${payout.payout_id}`)
      await page.getByRole('link', { name: 'verify the receipt' }).last().click()
      await heading(/^✓ Verified: a payout was authorized/).waitFor()
      await takeScreenshot(page, 'receipt')
      // No script runs in the page as it is, so a browser without its policy looks at it.
      const lenient = await browser.newContext({
        bypassCSP: true,
        viewport: { width: 360, height: 780 },
      })
      const copy = await lenient.newPage()
      await copy.goto(page.url())
      expect(await violationsOf(copy)).toEqual([])
      const width = await copy.evaluate<number>('document.documentElement.scrollWidth')
      expect(width).toBeLessThanOrEqual(360)
      await lenient.close()
      await page.getByRole('link', { name: /^rc_/ }).click()
      await heading(/^✓ Verified: a payout was created/).waitFor()
    },
  )

  /** Every page of the console, with a subject where it has one, and its heading. */
  async function allPages(): Promise<[string, RegExp][]> {
    const { agent } = await newAgentClient({ base, os }).register()
    const work = (await newOperator().call('work-list', { limit: '100' })).body.items
    const subjects = ['payout', 'task'].flatMap((kind) => {
      const found = work.find((one) => one.kind === kind)
      return found === undefined ? [] : [[`/work/${found.id}`, /^Payout|^Task/] as [string, RegExp]]
    })
    const [mandate] = (await newOperator().call('mandates-list', { limit: '1' })).body.items
    const ofMandate: [string, RegExp][] =
      mandate === undefined ? [] : [[`/authority/mandates/${mandate.mandate_id}`, /mandate/i]]
    return [
      ['/', /^Inbox/],
      ['/?kind=agent', /^Inbox/],
      ['/?rail=scout', /^Inbox/],
      [`/review/${agent.agent_id}`, /^Review/],
      ['/work', /^Payouts and tasks/],
      ...subjects,
      ['/money', /^Money/],
      ['/agents', /^Agents/],
      [`/agents/${agent.agent_id}`, /^Ledger reader/],
      ['/authority', /^Delegated authority/],
      ['/authority/grants', /^Action grants/],
      ['/authority/actions', /^Delegated actions/],
      ...ofMandate,
      ['/keys', /^Signing keys/],
      ['/pilots', /^Pilots/],
      ['/controls', /^Controls/],
      ['/nowhere', /^There is no such page/],
    ]
  }
  const shown = async (path: string, name: RegExp) => {
    await open(path)
    await heading(name).waitFor()
    await page.getByText('Loading …').waitFor({ state: 'detached' })
  }
  const pictures = ['/', '/work', '/money', '/agents', '/authority', '/keys', '/controls']

  for (const colorScheme of ['light', 'dark'] as const)
    verifies('console.pages', `no axe violation in pages and dialogs, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme })
      for (const [path, name] of await allPages()) {
        await shown(path, name)
        // The dark pages differ in nothing but their colours.
        const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined
        expect(await violationsOf(page, rules), path).toEqual([])
        const place = path === '/' ? '-inbox' : path.replaceAll('/', '-')
        if (pictures.includes(path))
          await takeScreenshot(page, `console${place}${colorScheme === 'dark' ? '-dark' : ''}`)
      }
      await shown('/keys', /^Signing keys/)
      for (const dialog of ['Keyboard', 'Publish new keys']) {
        await page.getByRole('button', { name: dialog }).click()
        await page.getByRole('dialog').waitFor()
        expect(await violationsOf(page), dialog).toEqual([])
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await page.getByRole('button', { name: 'Retire' }).first().click()
      await page.getByRole('dialog', { name: 'Retire the signing key' }).waitFor()
      expect(await violationsOf(page)).toEqual([])
      await context.clearCookies()
      await open('/sign-in')
      await heading(/^Sign in/).waitFor()
      expect(await violationsOf(page)).toEqual([])
      complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('401')))
    })

  verifies('console.pages', 'on a phone no page is wider than the screen', async () => {
    await page.setViewportSize({ width: 360, height: 780 })
    for (const [path, name] of await allPages()) {
      await shown(path, name)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width, path).toBeLessThanOrEqual(360)
    }
    await open('/')
    await page
      .getByRole('link', { name: /^(Decide|Recover)/ })
      .first()
      .waitFor()
    await takeScreenshot(page, 'console-phone')
  })

  verifies('console.pages', 'the inbox follows changes, and its keys open a row', async () => {
    await open('/')
    await page.getByText('Live', { exact: true }).waitFor()
    const name = `Newcomer ${Date.now()}`
    await newAgentClient({ base, os }).register({ name })
    await page.getByText(name).waitFor()
    await page.getByLabel('Waiting', { exact: true }).selectOption('A week or more')
    await page.getByText('Nothing like this waits').waitFor()
    await page.getByLabel('Waiting', { exact: true }).selectOption('Any age')
    await page.getByLabel('At stake').selectOption('1,000 USD or more')
    await page.getByText('Nothing like this waits').waitFor()
    await page.getByLabel('At stake').selectOption('Any amount')
    await page.getByText(name).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await heading(/^Review|^Payout|^Task/).waitFor()
  })

  verifies('console.inbox', 'with 10,000 waiting the page stays fluid', async () => {
    await newAgentClient({ base, os }).register()
    await copyAgents(rail.db, 10_000)
    await open('/')
    await page.getByText(/of 10,0\d\d/).waitFor()
    const times: number[] = []
    for (let at = 0; at < 50; at++) {
      const begun = performance.now()
      await newOperator().call('inbox', { limit: '50', offset: String((at % 20) * 50) })
      times.push(performance.now() - begun)
    }
    await page.evaluate(
      `globalThis.long = []; new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => one.duration))).observe({ entryTypes: ['longtask'] })`,
    )
    const longest = async () => {
      await page.evaluate('long.length = 0')
      for (let at = 0; at < 40; at++) {
        await page.mouse.wheel(0, at % 20 < 10 ? 300 : -300)
        await page.keyboard.press('j')
      }
      return Math.max(0, ...(await page.evaluate<number[]>('long')))
    }
    const longestMs = await leastOf(LONG_TASK_MS, longest)
    const sorted = times.sort((one, other) => one - other)
    console.log(
      `10,000 waiting: inbox p50 ${sorted[25]?.toFixed(0)} ms, slowest of 50 ${sorted[49]?.toFixed(0)} ms; longest task ${longestMs} ms`,
    )
    expect(longestMs).toBeLessThan(within(LONG_TASK_MS))
    expect(await page.getByRole('row').count()).toBeLessThanOrEqual(51)
  })
})

const manifest = (idempotency_key: string, name: string) => ({
  name,
  contact: { email: 'watcher@agent.example' },
  capabilities: ['reads what models cost'],
  rails: ['tokenops' as const],
  requested_scopes: ['runs:read' as const, 'runs:write' as const],
  idempotency_key,
})

/** What an agent does between the decisions: quote, preflight, contract, and an invoice. */
async function buy(
  customer: ReturnType<typeof openCustomer>,
  name: string,
  objective = 'What did our models cost in November?',
) {
  const order = {
    rail: 'tokenops',
    tier: 'standard',
    objective,
    usage: 'operational',
    input: demoUsage,
  } as const
  const quote = await customer.quote(order)
  const own: OwnTask = await customer.preflight(order)
  const { contract } = (
    await customer.client.call('contract-prepare', {
      task_token: own.token,
      acceptance_criteria: ['The cost of each day agrees with the invoice.'],
      idempotency_key: `${name}-contract`,
    })
  ).body
  const { challenge } = await customer.acceptContract(contract, quote)
  if (challenge === null) throw new Error('the contract asks for no payment')
  const invoice = { method: 'invoice_reference', external_reference: `INV-${name}` } as const
  const { payment_reference_id } = await customer.present(challenge, invoice)
  return { own, contract, payment: payment_reference_id }
}
