import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { operations } from '../../api/operations/index.ts'
import { createClient, type InputOf } from '../../api/surfaces/client.ts'
import { scopes } from '../../workflows/domain/credential.ts'
import { policyRules } from '../../workflows/domain/policy-rules.ts'
import { rails } from '../../workflows/domain/rails/index.ts'
import { serviceOf } from '../../workflows/domain/rails/scout.ts'
import { subjectKinds } from '../../workflows/domain/review.ts'
import { startComposedTasks } from '../support/composed-tasks.ts'
import { codeOf } from '../support/problems.ts'
import { trustedAgent } from '../support/registering-agent.ts'
import { verifies } from '../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks()
}, 120_000)
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
const key = () => randomBytes(6).toString('hex')
const open = () => createClient({ baseUrl: hosts().base, osUrl: hosts().os })
const asOperator = () => createClient({ baseUrl: hosts().base, osUrl: hosts().os, operator: apis.operator })

verifies('conform.mandate-expiry', 'a mandate whose expiry has passed is refused', async () => {
  const now = Math.floor(Date.now() / 1000)
  const issue = (expires_at: number) =>
    asOperator().call('issue-mandate', {
      mode: 'issue_mandate',
      action: {
        payout: { payout_id: `po_${'0'.repeat(64)}`, expires_at, authorize_idempotency_key: key() },
        checkout_jwt: 'a.b.c',
        holder_proof: {
          binding_version: 2,
          holder_wallet: `0x${'a'.repeat(40)}`,
          signature: `0x${'1'.repeat(130)}`,
        },
        idempotency_key: key(),
      },
    })
  expect(await codeOf(issue(now - 1))).toBe('payout_expired')
  expect(await codeOf(issue(now + 600))).toBe('not_found')
})

verifies('conform.trust-contract', 'x402Version and the limits stand there as in the document', async () => {
  const { body } = await open().call('trust-contract', {})
  expect(body).toMatchObject({ x402: { x402Version: 2, scheme: 'exact' }, payout: { price: { x402Version: 2 } } })
  expect((body as { limits?: unknown }).limits).toEqual({
    recordsPerWallet: 256,
    bytesPerWallet: 4_194_304,
    casAttempts: 32,
    proofPageSize: 25,
    handoffInputBytes: 12_000,
    refundsPerScore: 12,
  })
})

verifies('conform.policy-rules', 'rules 9 and 10 are there to their last sentence', async () => {
  expect(policyRules).toHaveLength(11)
  expect(policyRules[8]).toBe(
    'Payment posture is reference-based until payment-provider webhooks are enabled. Payment paths: hosted_checkout_link, invoice_or_purchase_order, agent_credit, manual_operator_verified_reference. When a hosted product link is not configured for a rail, product cards fall back to rail checkout.',
  )
  expect(policyRules[9]).toBe(
    'Settlement and usage split: a settlement receipt funds credits; a usage receipt records consumed credits. Provider settlement funds credits; webhook verification, release controls, rate limits, abuse controls, legal terms and pause controls stay visible in the operating loop.',
  )
})

verifies('conform.preflight', 'what a preflight may never become is refused before anything is written', async () => {
  const sandbox = await trustedAgent(hosts(), apis.operator, { sandbox: true })
  const trusted = await trustedAgent(hosts(), apis.operator)
  const tasks = async () => (await apis.db.selectFrom('tasks').select('task_id').execute()).length
  const before = await tasks()
  const preflight = (agent: string, more: Partial<InputOf<'preflight'>>) =>
    createClient({ baseUrl: hosts().base, osUrl: hosts().os, agent }).call('preflight', {
      rail: 'tokenops',
      tier: 'standard',
      input_manifest: [{ name: 'usage', sha256: 'ab'.repeat(32), bytes: 100 }],
      objective: 'what each model cost',
      idempotency_key: key(),
      ...more,
    })
  expect(await codeOf(preflight(sandbox.credential, { usage: 'operational' }))).toBe('trust_required')
  const metadata = { callback_url: 'http://169.254.169.254/x' }
  expect(await codeOf(preflight(trusted.credential, metadata))).toMatch(/callback_refused|invalid_request/)
  const inside = { callback_url: 'https://169.254.169.254/x' }
  expect(await codeOf(preflight(trusted.credential, inside))).toBe('callback_refused')
  expect(await tasks()).toBe(before)
  expect((await preflight(sandbox.credential, { usage: 'synthetic' })).status).toBe(201)
  expect(await tasks()).toBe(before + 1)
})

verifies('conform.computed', 'every scope opens an operation, and every review kind has a subject', async () => {
  const needed = new Set(
    operations.flatMap((operation) => ('needs' in operation ? (operation.needs?.scopes ?? []) : [])),
  )
  expect([...needed].sort()).toEqual([...scopes].sort())
  const { counts } = (await asOperator().call('loop-review-console', {})).body
  expect(Object.keys(counts).sort()).toEqual([...subjectKinds].sort())
})

verifies('conform.computed', 'posture follows from the configured providers, the route from the rail', async () => {
  const { posture } = (await open().call('payment-rail-read', {})).body
  expect(posture).toEqual(['reference_based'])
  const { quote } = (await open().call('agent-quote', { rail: 'packetops', tier: 'standard' })).body
  const packetops = rails.find((rail) => rail.key === 'packetops')!
  const { service_id, origin: provider } = serviceOf(packetops)
  expect(quote.provider_route).toEqual({ route_id: 'route_packetops', provider, service_id })
  for (const rail of rails) expect(serviceOf(rail).protocols).not.toContain('mcp')
})
