import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { paymentMethods } from '#domain/core/payment-methods.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { key, providerEvent, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, patiently, problemOf } from '../../../support/problems.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
let agent: Awaited<ReturnType<typeof apis.agent>>
let stranger: typeof agent
beforeAll(async () => {
  apis = await startMoneyApis(2)
  agent = await apis.agent(['runs:read', 'runs:write'])
  stranger = await apis.agent(['runs:read', 'runs:write'])
})
afterAll(() => apis?.stop())

const open = (api = 0) => apis.open(api)
const notify = (...notified: Parameters<typeof apis.notify>) => apis.notify(...notified)
const settledEvent = (session: string, usd: number, challenge_id: string) =>
  providerEvent('payment.settled', session, usd, { challenge_id })

const quote = async () =>
  (await open().call('quote-run', { mode: 'quote_run', rail: 'packetops', tier: 'standard' })).body
    .quote
let units = 1
const ownQuote = async (by = agent) =>
  (
    await by.call('agent-quote', {
      rail: 'packetops',
      tier: 'standard',
      units: ++units,
      idempotency_key: key(),
    })
  ).body.quote

const challengeInput = (quote_id: string) => ({
  mode: 'create_payment_challenge' as const,
  quote_id,
  idempotency_key: key(),
})
async function challenged(by = agent) {
  const quoted = await ownQuote(by)
  const problem = await problemOf(
    open().call('create-payment-challenge', challengeInput(quoted.quote_id)),
  )
  const challenge = problem['challenge'] as { challenge_id: string; amount_usd: number }
  return { quoted, problem, challenge }
}

type Paid = Partial<InputOf<'payment-reference-create'>>
const present = async (challenge_id: string, more: Paid = {}, by = agent) => {
  const input = {
    method: 'invoice_reference' as const,
    external_reference: `INV-${key()}`,
    idempotency_key: key(),
  }
  return (await by.call('payment-reference-create', { challenge_id, ...input, ...more })).body
    .payment_reference
}
const credit = async (entitlement_id: string | null, by = agent) =>
  (await by.call('agent-credit-read', { entitlement_id: entitlement_id ?? '' })).body

// agent-commerce.md § Prices, both tables as they stand there.
const surface = {
  packetops: [49, 99, 249, 8, 107],
  diligenceops: [99, 199, 399, 16, 215],
}
const schedule = {
  packetops: [49, 107, 269],
  diligenceops: [99, 215, 431],
  energyops: [149, 323, 539],
  distributionops: [199, 431, 755],
}

verifies('money.http.prices', 'the agent surface is the first table of the document', async () => {
  const { rails, pricing_model } = (await open().call('agent-pricing', { surface: 'agent' })).body
  const rows = rails.map((one) => [
    one.rail,
    [one.entry, one.standard, one.pro, one.rail_fee, one.totals.standard],
  ])
  expect(Object.fromEntries(rows)).toEqual(surface)
  expect(pricing_model).toBeNull()
})

verifies('money.http.prices', 'the movement fee schedule shows what is paid in all', async () => {
  const listed = (await open().call('agent-pricing', { surface: 'movement_fee' })).body
  const rows = listed.rails.map(({ rail, entry, standard, pro }) => [rail, [entry, standard, pro]])
  expect(Object.fromEntries(rows)).toEqual(schedule)
  expect(listed).toMatchObject({
    pricing_model: 'free_tools_movement_fee',
    fee_rule: expect.stringContaining('included: 8 %'),
  })
  expect((await open().call('agent-pricing', {})).body.rails[0]).toMatchObject({
    standard: 99,
    totals: { standard: 107 },
  })
})

verifies(
  'money.http.prices',
  'every total of the movement fee schedule is what a quote costs',
  async () => {
    for (const [rail, totals] of Object.entries(schedule))
      for (const [index, tier] of (['entry', 'standard', 'pro'] as const).entries()) {
        const asked = { rail: rail as 'packetops', tier }
        const { quote: quoted, lines } = (await open().call('agent-quote', asked)).body
        expect(quoted.total_usd, `${rail} ${tier}`).toBe(totals[index])
        expect(lines.reduce((sum, { usd }) => sum + usd, 0)).toBe(totals[index])
        const listed = (await open().call('agent-pricing', { rail: asked.rail })).body.rails[0]
        expect(listed?.totals[tier]).toBe(totals[index])
      }
    expect(await codeOf(open().call('agent-quote', { rail: 'contractops', tier: 'pro' }))).toBe(
      'unsupported_request',
    )
    const notBought = {
      mode: 'quote_run' as const,
      rail: 'energyops' as const,
      tier: 'pro' as const,
    }
    expect(await codeOf(open().call('quote-run', notBought))).toBe('unsupported_request')
    const again = await quote()
    const priced = (
      await agent.call('agent-pricing-quote', { rail: 'packetops', tier: 'standard' })
    ).body
    const asked = { mode: 'quote_run', rail: 'packetops', tier: 'standard' } as const
    const { quote: run, ...more } = (await agent.call('quote-run', asked)).body
    const { quote_id, expires_at } = run
    expect({ ...more, quote: run }).toEqual({
      ...priced,
      quote: { ...priced.quote, quote_id, expires_at },
    })
    expect(priced.quote.quote_id).not.toBe(run.quote_id)
    expect(priced.quote.quote_id).not.toBe(again.quote_id)
    expect(
      (await open().call('agent-quote-read', { quote_id: again.quote_id })).body,
    ).toMatchObject({
      quote: again,
      state: 'live',
    })
  },
)

verifies(
  'money.http.challenge',
  'a challenge is a 402 with seven methods, and one for 100 at once',
  async () => {
    const { quoted, problem, challenge } = await challenged()
    expect(problem).toMatchObject({ status: 402, code: 'payment_required', money_moved: 'no' })
    expect(problem['accepted_methods']).toEqual(paymentMethods)
    expect(challenge).toMatchObject({
      state: 'open',
      amount_usd: quoted.total_usd,
      quote_id: quoted.quote_id,
    })
    expect(challenge).toMatchObject({ accepts: [{ amount: `${quoted.total_usd}000000` }] })
    const asked = Array.from({ length: 100 }, (_, index) =>
      problemOf(
        patiently(() =>
          open(index % 2).call('create-payment-challenge', challengeInput(quoted.quote_id)),
        ),
      ),
    )
    const ids = (await Promise.all(asked)).map(
      (one) => (one['challenge'] as { challenge_id: string }).challenge_id,
    )
    expect(new Set(ids)).toEqual(new Set([challenge.challenge_id]))
  },
)

verifies(
  ['money.http.methods', 'money.http.owner'],
  'an invoice funds its own credit once an operator decides',
  async () => {
    const { quoted, challenge } = await challenged()
    const reference = await present(challenge.challenge_id)
    expect(reference).toMatchObject({
      state: 'pending',
      amount_usd: quoted.total_usd,
      settlement_receipt_id: null,
    })
    const pending = await problemOf(
      open().call('create-payment-challenge', challengeInput(quoted.quote_id)),
    )
    const { payment_reference_id, entitlement_id } = reference
    expect(pending).toMatchObject({ code: 'payment_pending', payment_reference_id })
    expect(await credit(entitlement_id)).toMatchObject({
      balance_units: 0,
      entitlement: { state: 'pending' },
    })
    const { console: console_ } = apis
    const waiting = (
      await console_.call('loop-review-console', { kind: 'payment_reference', limit: '100' })
    ).body.items
    expect(waiting.map(({ subject_id }) => subject_id)).toContain(payment_reference_id)
    const decided = await apis.decide(payment_reference_id, 'approve')
    expect(decided.subject).toMatchObject({ state: 'verified' })
    const held = await credit(entitlement_id)
    expect(held).toMatchObject({
      balance_units: quoted.total_usd,
      entitlement: { state: 'funded' },
    })
    expect(held.settlement_receipts).toHaveLength(1)
    expect(held.entitlement.postings).toMatchObject([
      { debit: 'clearing:invoice_reference', units: quoted.total_usd },
    ])
    expect(
      (await console_.call('agent-credit-read', { entitlement_id: entitlement_id ?? '' })).body,
    ).toEqual(held)
    expect(
      await codeOf(stranger.call('agent-credit-read', { entitlement_id: entitlement_id ?? '' })),
    ).toBe('not_owner')
    expect(await codeOf(stranger.call('payment-rail-read', { payment_reference_id }))).toBe(
      'not_owner',
    )
    expect(await codeOf(open().call('payment-rail-read', { payment_reference_id }))).toBe(
      'credential_required',
    )
    expect(
      (await agent.call('payment-rail-read', { payment_reference_id })).body.payment_reference
        ?.state,
    ).toBe('verified')
    // No provider confirmed it; what confirmed it is named.
    const { steps, operator_decision } = (
      await agent.call('callback-completion-read', { payment_reference_id })
    ).body
    expect(steps?.flatMap(({ step, done_at }) => (done_at === null ? [] : step))).toEqual([
      'credit_funding_event',
      'settlement_receipt',
    ])
    expect(operator_decision).toMatchObject({
      decision: 'approve',
      receipt_id: decided.receipt.receipt_id,
    })
    expect(await codeOf(present(challenge.challenge_id))).toBe('already_funded')
  },
)

verifies(
  'money.http.methods',
  'what is not proven funds nothing and is refused with its own code',
  async () => {
    const { challenge } = await challenged()
    const id = challenge.challenge_id
    const hash = {
      method: 'stablecoin_reference' as const,
      external_reference: `0x${key().repeat(4)}`,
    }
    const payer = `0x${'ab'.repeat(20)}`
    expect(await codeOf(present(id, { ...hash, external_reference: 'mine' }))).toBe(
      'invalid_request',
    )
    expect(
      await codeOf(present(id, { ...hash, payer, proof: { signature: `0x${'11'.repeat(65)}` } })),
    ).toMatch(/proof_invalid|unavailable/)
    expect(await codeOf(present(id, { method: 'x402_reference' }))).toBe('invalid_request')
    expect(
      await codeOf(present(id, { method: 'x402_reference', proof: { payment: 'bm9uZQ==' } })),
    ).toBe('payment_invalid')
    expect(
      await codeOf(present(id, { method: 'agent_allowance', payer: `aw_${'1'.repeat(64)}` })),
    ).toBe('not_found')
    expect(await codeOf(present(id, { method: 'ap2_mandate_reference' }))).toBe('invalid_request')
    expect(await codeOf(present(`ch_${'0'.repeat(64)}`))).toBe('not_found')
    const open_ = await problemOf(
      open().call(
        'create-payment-challenge',
        challengeInput((challenge as unknown as { quote_id: string }).quote_id),
      ),
    )
    expect(open_).toMatchObject({
      code: 'payment_required',
      challenge: { state: 'open', challenge_id: id },
    })
  },
)

verifies(
  ['money.http.provider', 'money.http.activation'],
  'a provider’s event pays a session once, for exactly the amount',
  async () => {
    const { quoted, challenge } = await challenged()
    const session = `cs_${key()}`
    const reference = await present(challenge.challenge_id, {
      method: 'hosted_checkout',
      external_reference: session,
    })
    expect(reference.state).toBe('pending')
    const event = settledEvent(session, quoted.total_usd, challenge.challenge_id)
    expect(await notify(event, { signer: randomBytes(32) })).toMatchObject({
      status: 401,
      body: { code: 'webhook_signature_invalid' },
    })
    expect(await notify(event, { at: 1_700_000_000 })).toMatchObject({ status: 401 })
    expect((await credit(reference.entitlement_id)).balance_units).toBe(0)
    const notified = await Promise.all(Array.from({ length: 10 }, () => notify(event)))
    expect(notified.map(({ status }) => status)).toEqual(Array(10).fill(202))
    expect(notified.filter(({ body }) => body['duplicate'] === false)).toHaveLength(1)
    const held = await credit(reference.entitlement_id)
    expect(held).toMatchObject({
      balance_units: quoted.total_usd,
      entitlement: { state: 'funded' },
    })
    expect(held.settlement_receipts).toHaveLength(1)

    const { payment_reference_id, entitlement_id } = reference
    const paid = (await agent.call('payment-rail-read', { payment_reference_id })).body
      .payment_reference
    const { settlement_receipt_id } = paid ?? {}
    const { steps, operator_decision } = (
      await agent.call('callback-completion-read', { payment_reference_id })
    ).body
    expect(operator_decision).toBeNull()
    expect(steps?.map(({ step, evidence_id }) => [step, evidence_id])).toEqual([
      ['provider_event', event.event_id],
      ['webhook_verification', event.event_id],
      ['provider_confirmation', payment_reference_id],
      ['credit_funding_event', entitlement_id],
      ['settlement_receipt', settlement_receipt_id],
      ['run_eligibility', null],
      ['result_contract', null],
      ['callback', null],
    ])
    const times = steps?.flatMap(({ done_at }) => done_at ?? [])
    expect(times).toHaveLength(5)
    expect(times).toEqual(times?.toSorted())
    expect(await codeOf(stranger.call('callback-completion-read', { payment_reference_id }))).toBe(
      'not_owner',
    )
    expect(await codeOf(open().call('callback-completion-read', { payment_reference_id }))).toBe(
      'credential_required',
    )
    const { sequence, webhook_rules } = (await open().call('callback-completion-read', {})).body
    expect([sequence.length, webhook_rules.age_seconds_max]).toEqual([8, 300])
  },
)

verifies('money.named', 'no payment is credited to an agent of the sandbox', async () => {
  const [host] = apis.hosts
  const { credential } = await trustedAgent(host!, apis.operator, {
    sandbox: true,
    rails: ['packetops'],
    requested_scopes: ['runs:read', 'runs:write'],
  })
  const { call } = createClient({ baseUrl: host!.base, agent: credential })
  const asked = { rail: 'packetops', tier: 'standard', idempotency_key: key() } as const
  const { quote_id, total_usd } = (await call('agent-quote', asked)).body.quote
  const name = `INV-${key()}`
  await notify(providerEvent('payment.settled', name, total_usd))
  const method = 'invoice_reference' as const
  const paid = { quote_id, method, external_reference: name, idempotency_key: key() }
  const { challenge_id, entitlement_id, state } = (await call('payment-reference-create', paid))
    .body.payment_reference
  expect(state).toBe('rejected')
  await notify(settledEvent(`cs_${key()}`, total_usd, challenge_id ?? ''))
  const read = await call('agent-credit-read', { entitlement_id: entitlement_id ?? '' })
  expect(read.body).toMatchObject({ balance_units: 0, entitlement: { state: 'pending' } })
})

verifies('money.http.provider', 'a wrong amount is never part of the credit', async () => {
  const { quoted, challenge } = await challenged()
  const session = `cs_${key()}`
  const reference = await present(challenge.challenge_id, {
    method: 'hosted_checkout',
    external_reference: session,
  })
  expect(
    await notify(settledEvent(session, quoted.total_usd - 1, challenge.challenge_id)),
  ).toMatchObject({
    status: 202,
    body: { accepted: true },
  })
  const { payment_reference_id, entitlement_id } = reference
  const now = (await agent.call('payment-rail-read', { payment_reference_id })).body
    .payment_reference
  expect(now).toMatchObject({
    state: 'pending',
    reason: expect.stringMatching(/not exactly what is owed; an operator decides/),
  })
  expect((await credit(entitlement_id)).balance_units).toBe(0)
})

verifies(
  'money.http.once',
  'one payment presented 100 times at once funds one credit',
  async () => {
    const [one, other] = [await challenged(), await challenged()]
    const external_reference = `INV-${key()}`
    const reference = await present(one.challenge.challenge_id, { external_reference })
    await apis.decide(reference.payment_reference_id, 'approve')
    expect(await codeOf(present(other.challenge.challenge_id, { external_reference }))).toBe(
      'reference_already_used',
    )
    const again = await present(one.challenge.challenge_id, { external_reference })
    expect(again.payment_reference_id).toBe(reference.payment_reference_id)
    const session = `cs_${key()}`
    const presented = Array.from({ length: 100 }, (_, index) => {
      const input = {
        challenge_id: other.challenge.challenge_id,
        method: 'hosted_checkout' as const,
        external_reference: session,
        idempotency_key: key(),
      }
      return patiently(async () =>
        agent.clients[index % 2]?.call('payment-reference-create', input),
      )
    })
    const references = (await Promise.all(presented)).map(
      (answer) => answer?.body.payment_reference,
    )
    expect(new Set(references.map((each) => each?.payment_reference_id)).size).toBe(1)
    const theirs = await challenged(stranger)
    const named = { method: 'hosted_checkout', external_reference: session } as const
    const claimed = await present(theirs.challenge.challenge_id, named, stranger)
    const event = settledEvent(session, other.quoted.total_usd, other.challenge.challenge_id)
    await Promise.all([notify(event), notify({ ...event, event_id: `evt_${key()}` })])
    expect((await credit(claimed.entitlement_id, stranger)).balance_units).toBe(0)
    const entitlement_id = references[0]?.entitlement_id ?? ''
    const repeated = Array.from({ length: 20 }, () =>
      agent.call('agent-credit-fund', {
        entitlement_id,
        payment_reference_id: references[0]?.payment_reference_id,
        idempotency_key: key(),
      }),
    )
    for (const { status, body } of await Promise.all(repeated))
      expect({ status, balance: body.balance_units }).toEqual({
        status: 202,
        balance: other.quoted.total_usd,
      })
    expect((await credit(entitlement_id)).entitlement.postings).toHaveLength(1)
  },
)

verifies(
  'money.http.once',
  'repeats of a new payment fund credit once, for its own amount',
  async () => {
    const { quoted, challenge } = await challenged()
    const rejected = await present(challenge.challenge_id)
    await apis.decide(rejected.payment_reference_id, 'reject')
    const entitlement_id = rejected.entitlement_id ?? ''
    const input = {
      entitlement_id,
      method: 'payment_reference' as const,
      external_reference: `T-${key()}`,
    }
    const fund = (amount_usd: number) =>
      agent.call('agent-credit-fund', { ...input, amount_usd, idempotency_key: key() })
    expect(await codeOf(fund(quoted.total_usd + 1))).toBe('amount_mismatch')
    const first = (await fund(quoted.total_usd)).body
    expect(first).toMatchObject({ payment_reference: { state: 'pending' }, balance_units: 0 })
    expect((await fund(quoted.total_usd)).body).toEqual(first)
  },
)
