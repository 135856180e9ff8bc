import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { scopes } from '#domain/agents/credential.ts'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { paymentMethods } from '#domain/core/payment-methods.ts'
import { type PaidSurface, takenBy } from '#domain/credit/pricing.ts'
import { acceptedMethods } from '#domain/payments/payment-reference.ts'
import { rails } from '#domain/rails/index.ts'
import { serviceOf } from '#domain/rails/scout/index.ts'
import { subjectKinds } from '#domain/reviews/review.ts'
import { packageRoot, packageVersion } from '../../activities/config/package-root.ts'
import { createClient, type InputOf } from '../../api/http/client.ts'
import { operations } from '../../api/operations/index.ts'
import { exampleOrder } from '../../api/operations/work-orders.ts'
import { presentedOf } from '../../api/services/credit/references.ts'
import { WorkOrderInput } from '../../api/shapes/work-orders.ts'
import { openAgentUse, problemOf } from '../support/agent-use.ts'
import { begunTask } from '../support/agreed-task.ts'
import { startComposedTasks } from '../support/composed-tasks.ts'
import { codeOf } from '../support/problems.ts'
import { decide, newAgentClient, trustedAgent } from '../support/registering-agent.ts'
import { verifies } from '../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks()
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
const key = () => randomBytes(6).toString('hex')
const open = () => createClient({ baseUrl: hosts().base, osUrl: hosts().os })
const asOperator = () =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, operator: apis.operator })

verifies(
  'conform.mandate-expiry',
  'a mandate that leaves no time to execute is refused',
  async () => {
    const now = Math.floor(Date.now() / 1000)
    const issue = (expires_at: number) =>
      asOperator().call('issue-mandate', {
        mode: 'issue_mandate',
        action: {
          payout: {
            payout_id: `po_${'0'.repeat(64)}`,
            expires_at,
            authorize_idempotency_key: key(),
          },
          checkout_jwt: 'a.b.c',
          holder_proof: {
            binding_version: 2,
            holder_wallet: `0x${'a'.repeat(40)}`,
            signature: `0x${'1'.repeat(130)}`,
          },
          idempotency_key: key(),
        },
      })
    for (const ahead of [-1, 25]) expect(await codeOf(issue(now + ahead))).toBe('payout_expired')
    expect(await codeOf(issue(now + 600))).toBe('not_found')
  },
)

verifies(
  'conform.trust-contract',
  'x402Version and the limits stand there as in the document',
  async () => {
    const { body } = await open().call('trust-contract', {})
    expect(body).toMatchObject({
      x402: { x402Version: 2, scheme: 'exact' },
      payout: { price: { x402Version: 2 } },
    })
    expect((body as { limits?: unknown }).limits).toEqual({
      recordsPerWallet: 256,
      bytesPerWallet: 4_194_304,
      casAttempts: 32,
      proofPageSize: 25,
      handoffInputBytes: 12_000,
      refundsPerScore: 12,
    })
  },
)

verifies('conform.policy-rules', 'rules 9 and 10 are there to their last sentence', async () => {
  expect(policyRules).toHaveLength(11)
  expect(policyRules[8]).toBe(
    'Payment posture is reference-based until payment-provider webhooks are enabled. Payment paths: hosted_checkout_link, invoice_or_purchase_order, agent_credit, manual_operator_verified_reference. When a hosted product link is not configured for a rail, product cards fall back to rail checkout.',
  )
  expect(policyRules[9]).toBe(
    'Settlement and usage split: a settlement receipt funds credits; a usage receipt records consumed credits. Provider settlement funds credits; webhook verification, release controls, rate limits, abuse controls, legal terms and pause controls stay visible in the operating loop.',
  )
})

verifies(
  ['conform.policy-rules', 'conform.requested-tool'],
  'an order names one of the active requested tool ids of rule 6',
  async () => {
    // The words of the first document.
    const documented = ['packetops', 'distributionops', 'tokenops', 'service_os']
    expect(policyRules[5]).toBe(`Active requested tool ids: ${documented.join(', ')}.`)
    const { properties = {} } = z.toJSONSchema(WorkOrderInput, { io: 'input' })
    expect((properties['requested_tool_id'] as { enum: string[] }).enum.toSorted()).toEqual(
      documented.toSorted(),
    )
    const open = createClient({ baseUrl: hosts().base, idempotencySecret: 's'.repeat(22) })
    const order = { ...exampleOrder, requested_tool_id: 'financeops' } as never
    expect(await problemOf(open.call('work-order-create', order))).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/requested_tool_id' }],
    })
  },
)

verifies(
  'conform.preflight',
  'an impossible preflight is refused before anything is written',
  async () => {
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
    expect(await codeOf(preflight(sandbox.credential, { usage: 'operational' }))).toBe(
      'trust_required',
    )
    const metadata = { callback_url: 'http://169.254.169.254/x' }
    expect(await codeOf(preflight(trusted.credential, metadata))).toMatch(
      /callback_refused|invalid_request/,
    )
    const inside = { callback_url: 'https://169.254.169.254/x' }
    expect(await codeOf(preflight(trusted.credential, inside))).toBe('callback_refused')
    expect(await tasks()).toBe(before)
    expect((await preflight(sandbox.credential, { usage: 'synthetic' })).status).toBe(201)
    expect(await tasks()).toBe(before + 1)
  },
)

verifies(
  'conform.computed',
  'every scope opens an operation, and every review kind has a subject',
  async () => {
    const needed = new Set(
      operations.flatMap((operation) =>
        'needs' in operation ? (operation.needs?.scopes ?? []) : [],
      ),
    )
    expect([...needed].sort()).toEqual([...scopes].sort())
    const { counts } = (await asOperator().call('loop-review-console', {})).body
    expect(Object.keys(counts).sort()).toEqual([...subjectKinds].sort())
  },
)

verifies(
  'conform.computed',
  'posture follows from providers, the route from rail and issuer',
  async () => {
    const { posture } = (await open().call('payment-rail-read', {})).body
    expect(posture).toEqual(['reference_based'])
    const { quote } = (await open().call('agent-quote', { rail: 'packetops', tier: 'standard' }))
      .body
    const packetops = rails.find((rail) => rail.key === 'packetops')!
    const { service_id } = serviceOf(packetops)
    const { issuer: provider } = (await open().call('trust-contract', {})).body
    expect(quote.provider_route).toEqual({ route_id: 'route_packetops', provider, service_id })
    // An agent starts by MCP the rails that it can buy by itself.
    for (const rail of rails)
      expect(serviceOf(rail).protocols.includes('mcp'), rail.key).toBe(rail.takes.paidAgentUse)
  },
)

verifies('conform.computed', 'no member of an answer is one that can only be null', () => {
  const walk = (schema: unknown, at: string): string[] => {
    if (typeof schema !== 'object' || schema === null) return []
    const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
    const empty = Object.entries(properties).filter(([, part]) => part.type === 'null')
    return [
      ...empty.map(([name]) => `${at}/${name}`),
      ...Object.entries(schema).flatMap(([name, part]) => walk(part, `${at}/${name}`)),
    ]
  }
  const found = operations.flatMap(({ id, output }) =>
    walk(z.toJSONSchema(output as z.ZodType, { io: 'output' }), id),
  )
  expect(found).toEqual([])
})

verifies(
  'conform.computed',
  'each paid surface of a rail takes paid runs, and free rails have none',
  async () => {
    const { rails: priced } = (await open().call('agent-pricing', {})).body
    const { rails: offered } = (
      await open().call('read-agent-use-pack', { mode: 'read_agent_use_pack' })
    ).body
    const paths: Record<PaidSurface, string> = {
      agent_use: '/api/agent-use',
      mcp: '/api/agent-use',
      first_paid_production_run: '/api/first-paid-production-run-execution',
      wallet_bound_run: '/api/wallet-bound-rail-run',
      customer_production_run: '/api/customer-production-runs',
      customer_workflow: '/api/customer-workflow-production',
      first_pilot_run: '/api/first-pilot-run-execution',
    }
    expect(priced.map(({ rail }) => rail)).toContain('scout')
    for (const { rail, pro, paid_surfaces } of priced) {
      expect(paid_surfaces.includes('agent_use'), rail).toBe(offered.includes(rail))
      expect(paid_surfaces.includes('wallet_bound_run'), rail).toBe(pro > 0)
      for (const surface of paid_surfaces) {
        const starts = operations.find(
          ({ http, gate }) => http.path === paths[surface] && gate?.rails === takenBy[surface],
        )
        expect(starts, surface).toBeDefined()
        if (surface === 'mcp') expect(starts?.tool).toBe('start_rail_run')
      }
    }
  },
)

const paused = async (input: Omit<InputOf<'pause-set'>, 'idempotency_key' | 'reason'>) =>
  (await asOperator().call('pause-set', { ...input, reason: 'a test', idempotency_key: key() }))
    .body.affected

verifies(
  'conform.computed',
  'a pause counts the tasks that wait for the paused wallet',
  async () => {
    const buyer = await openAgentUse(hosts(), apis.operator, {
      requested_scopes: ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'],
    })
    const { wallet } = (
      await buyer.client.call('allowance-wallet-create', { idempotency_key: key() })
    ).body
    const { wallet_id } = wallet
    const top = {
      method: 'invoice_reference',
      external_reference: `INV-${key()}`,
      amount_usd: 500,
    } as const
    const funding = { mode: 'fund_allowance', wallet_id, ...top, idempotency_key: key() } as const
    const { payment_reference } = (await buyer.client.call('allowance-fund', funding)).body
    await buyer.approve('payment_reference', payment_reference.payment_reference_id)
    const pause = (on: boolean) => paused({ scope: 'wallet', target: wallet_id, paused: on })
    expect(await pause(true)).toEqual({ tasks: 0, payouts: 0 })
    await pause(false)

    const { quote_id } = await buyer.quote()
    await (await (await begunTask(buyer)).agree()).accept({ quote_id })
    const authority = { authority_type: 'agent_allowance_reference', quote_id, wallet_id } as const
    const { body } = await buyer.client.call('payment-authority-check', {
      ...authority,
      idempotency_key: key(),
    })
    expect(body).toMatchObject({
      decision: 'authorized',
      payment_reference: { state: 'presented' },
    })
    expect(await pause(true)).toEqual({ tasks: 1, payouts: 0 })
    await pause(false)
    expect((await paused({ scope: 'service', paused: true })).tasks).toBe(1)
    await paused({ scope: 'service', paused: false })

    const paying = {
      quote_id,
      method: 'agent_allowance',
      external_reference: 'allowance',
      payer: wallet_id,
    } as const
    await buyer.client.call('payment-reference-create', { ...paying, idempotency_key: key() })
    expect(await pause(true)).toEqual({ tasks: 0, payouts: 0 })
    await pause(false)
  },
)

verifies(
  'conform.provider',
  'without a provider no hosted checkout is offered, taken or authorized',
  async () => {
    const buyer = await openAgentUse(hosts(), apis.operator)
    const { quote_id } = await buyer.quote()
    const without = paymentMethods.filter((method) => method !== 'hosted_checkout')
    const asked = { mode: 'create_payment_challenge', quote_id, idempotency_key: key() } as const
    const problem = await problemOf(buyer.client.call('create-payment-challenge', asked))
    expect(problem).toMatchObject({ code: 'payment_required', accepted_methods: without })
    expect(problem).toMatchObject({ challenge: { accepted_methods: without } })
    const rail = (await open().call('payment-rail-read', {})).body
    expect(rail.methods.map(({ method }) => method)).toEqual(without)

    const session = { method: 'hosted_checkout', external_reference: `cs_${key()}` } as const
    const present = (more: object = {}) =>
      buyer.client.call('payment-reference-create', {
        quote_id,
        ...session,
        ...more,
        idempotency_key: key(),
      })
    for (const more of [{}, { provider: 'tills' }])
      expect(await problemOf(present(more))).toMatchObject({
        status: 400,
        code: 'invalid_request',
        detail: 'no payment provider is configured',
        errors: [{ pointer: '/provider' }],
      })
    for (const authority_type of ['checkout', 'stablecoin_checkout'] as const) {
      const check = { authority_type, quote_id, provider_session_id: session.external_reference }
      const { body } = await buyer.client.call('payment-authority-check', {
        ...check,
        idempotency_key: key(),
      })
      expect(body).toMatchObject({
        decision: 'needs_provider',
        payment_reference: null,
        reasons: ['no payment provider is configured'],
      })
    }
  },
)

verifies(
  'conform.provider',
  'of several providers one is named, and only one that is configured',
  () => {
    const providers = ['stripe', 'tills']
    const session = { method: 'hosted_checkout', external_reference: 'cs_1' } as const
    expect(acceptedMethods(providers)).toEqual(paymentMethods)
    expect(presentedOf({ providers }, { ...session, provider: 'tills' })).toMatchObject({
      provider: 'tills',
    })
    for (const asked of [session, { ...session, provider: 'other' }])
      expect(() => presentedOf({ providers }, asked)).toThrow('the payment provider is not clear')
  },
)

verifies(
  'conform.declaration',
  'contract and order carry the declaration of what the input holds',
  async () => {
    const buyer = await openAgentUse(hosts(), apis.operator)
    const { task_token } = await begunTask(buyer)
    const { contract } = (
      await buyer.client.call('contract-prepare', { task_token, idempotency_key: key() })
    ).body
    expect(contract.data_declaration).toContain(
      'no regulated records and no confidential production client data',
    )
    const {
      payment: _now,
      terms_sha256,
      state: _state,
      accepted_by: _by,
      accepted_at: _at,
      run_contract: _,
      ...terms
    } = contract
    expect(digestOf(terms)).toBe(terms_sha256)

    const { data_declaration, ...undeclared } = exampleOrder
    const sent = (order: object) =>
      open().call('work-order-create', order as InputOf<'work-order-create'>)
    for (const order of [undeclared, { ...undeclared, data_declaration: 'regulated' }])
      expect(await problemOf(sent({ ...order, idempotency_key: key() }))).toMatchObject({
        status: 400,
        errors: [{ pointer: '/data_declaration' }],
      })
    const { receipt } = (await sent({ ...exampleOrder, idempotency_key: key() })).body
    expect(receipt).toMatchObject({ kind: 'intake', payload: { data_declaration } })
  },
)

verifies(
  'conform.contract-sets',
  'the trust contract and OpenAPI state what is there, and nothing else',
  async () => {
    const contract = (await open().call('trust-contract', {})).body as Record<string, unknown>
    expect(contract).toMatchObject({
      operations: [
        { id: 'passport-issue' },
        { id: 'passport-verify' },
        { id: 'proof-store' },
        { id: 'proof-list' },
        { id: 'proof-retrieve' },
        { id: 'scorecard-compute' },
        { id: 'handoff-build' },
        { id: 'handoff-verify' },
      ],
      payout: {
        operations: expect.arrayContaining(
          ['challenge', 'create', 'authorize', 'execute', 'status'].map((step) =>
            expect.objectContaining({ path: `/api/payout-${step}` }),
          ),
        ),
      },
      contract_sets: {
        result_contract: 'v2',
        result_contract_split: '1.0',
        pricing_model: 'v2',
        runtime_data_binding: 'v1',
      },
    })
    const { build } = contract as { build: { version: string; date: string | null } }
    expect(build.version).toBe(packageVersion())
    const built = join(packageRoot, 'dist', 'build.json')
    expect(build.date).toBe(
      existsSync(built) ? statSync(built).mtime.toISOString().slice(0, 10) : null,
    )
    const { body: openapi } = await open().call('openapi', {})
    expect(JSON.stringify(openapi)).not.toContain('x-tool')
    const { body: authority } = await open().call('authority-key', {})
    expect(authority.contexts).toEqual([
      'service-payout-challenge+jwt',
      'dc+sd-jwt',
      'service.authority.mandate.v1',
      'service.authority.grant.v1',
      'service.authority.action.v1',
    ])
  },
)

verifies(
  'conform.payment-response',
  'OpenAPI shows the payment that a start may carry, and its answer',
  async () => {
    const { body } = await open().call('openapi', {})
    const { paths } = body as { paths: Record<string, { post?: Record<string, unknown> }> }
    expect(paths['/api/agent-use']?.post).toMatchObject({
      security: expect.arrayContaining([{ agent: [], payment: [] }]),
      responses: { 202: { headers: { 'PAYMENT-RESPONSE': {} } } },
    })
    expect(paths['/api/work-orders']?.post).not.toMatchObject({
      responses: { 202: { headers: { 'PAYMENT-RESPONSE': {} } } },
    })
  },
)

verifies(
  'conform.evidence-links',
  'each evidence link opens for the operator who reviews',
  async () => {
    const buyer = await openAgentUse(hosts(), apis.operator)
    await newAgentClient(hosts()).register()
    await open().call('work-order-create', { ...exampleOrder, idempotency_key: key() })
    const { quote_id } = await buyer.quote()
    const { run } = (await problemOf(buyer.start(buyer.startInput(quote_id)))) as unknown as {
      run: { task_id: string }
    }
    const reference = await buyer.pay(quote_id)
    await buyer.approve('payment_reference', reference.payment_reference_id)
    const itemOf = async (subject_id: string) =>
      (await waiting()).find((item) => item.subject_id === subject_id)
    await expect.poll(() => itemOf(run.task_id)).toBeDefined()
    const items = (await waiting()).filter(({ evidence_links }) => evidence_links.length > 0)
    expect(new Set(items.map(({ subject_kind }) => subject_kind))).toEqual(
      new Set(['agent', 'work_order', 'task']),
    )
    for (const { evidence_links, subject_kind } of items)
      for (const link of evidence_links) {
        const answer = await fetch(link, { headers: { Authorization: `Bearer ${apis.operator}` } })
        expect(answer.status, `${subject_kind} ${link}`).toBe(200)
      }
  },
)

type Waiting = {
  subject_kind: string
  subject_id: string
  evidence_links: string[]
  allowed_decisions: string[]
}
const waiting = async () =>
  (await asOperator().call('loop-review-console', { limit: '25' })).body.items as Waiting[]

verifies(
  'conform.revise',
  'a result is approved, rejected, or revised by what changes',
  async () => {
    const buyer = await openAgentUse(hosts(), apis.operator)
    const { quote_id } = await buyer.quote()
    const { run } = (await problemOf(buyer.start(buyer.startInput(quote_id)))) as unknown as {
      run: { task_id: string; run_id: string }
    }
    await buyer.approve('payment_reference', (await buyer.pay(quote_id)).payment_reference_id)
    const approved = () =>
      buyer.approve('task', run.task_id).then(
        () => true,
        () => false,
      )
    await expect.poll(approved).toBe(true)
    const review = async () => (await waiting()).find(({ subject_id }) => subject_id === run.run_id)
    await expect.poll(review).toMatchObject({ allowed_decisions: ['approve', 'reject', 'revise'] })
    const revise = decide(hosts(), apis.operator, run.run_id, 'revise', {
      subject_kind: 'loop_step',
    })
    expect(await problemOf(revise)).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/revision' }],
    })
  },
)
