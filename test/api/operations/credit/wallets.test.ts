import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packetops } from '#domain/rails/packetops/index.ts'
import { findReference } from '../../../../activities/store/payments/payment-references.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { auditBooks } from '../../../support/books.ts'
import { key, providerEvent, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, patiently, problemOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(2)
})
afterAll(() => apis?.stop())

const scopes = ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'] as const
const owner = () => apis.agent([...scopes])
type Agent = Awaited<ReturnType<typeof owner>>
type Limits = InputOf<'allowance-limits'>['limits']

const create = async (agent: Agent, limits: Limits = {}) =>
  (await agent.call('allowance-wallet-create', { label: 'runs', limits, idempotency_key: key() }))
    .body.wallet
const read = async (agent: Agent, wallet_id: string) =>
  (await agent.call('allowance-wallet-read', { wallet_id })).body.wallet
const mode = 'fund_allowance' as const
const invoice = (wallet_id: string, amount_usd: number, external_reference = `INV-${key()}`) => ({
  mode,
  wallet_id,
  method: 'invoice_reference' as const,
  external_reference,
  amount_usd,
  idempotency_key: key(),
})
const limit = (by: Pick<Agent, 'call'>, wallet_id: string, limits: Limits) =>
  by.call('allowance-limits', { mode: 'set_limits', wallet_id, limits, idempotency_key: key() })

/** A wallet that an operator has confirmed a payment into. */
async function filled(agent: Agent, usd: number, limits: Limits = {}) {
  const { wallet_id } = await create(agent, limits)
  const { payment_reference } = (await agent.call('allowance-fund', invoice(wallet_id, usd))).body
  await apis.decide(payment_reference.payment_reference_id, 'approve')
  return { wallet_id, payment_reference_id: payment_reference.payment_reference_id }
}

let units = 1
async function quoted(agent: Agent, rail: 'packetops' | 'energyops' = 'packetops') {
  const asked = { rail, tier: 'entry' as const, units: ++units, idempotency_key: key() }
  return (await agent.call('agent-quote', asked)).body.quote
}
const payBy = async (agent: Agent, quote_id: string, payer: string) => {
  const paid = {
    quote_id,
    method: 'agent_allowance' as const,
    external_reference: 'allowance',
    payer,
  }
  const input = { ...paid, idempotency_key: key() }
  return (await patiently(() => agent.call('payment-reference-create', input))).body
    .payment_reference
}

verifies(
  'wallet.http.contract',
  'the wallet product has its four parts, and a wallet is free',
  async () => {
    expect((await apis.open().call('allowance-wallet-read', {})).body).toEqual({
      product_parts: [
        'free_agent_allowance_wallet',
        'agent_allowance',
        'payment_router',
        'receipt_ledger',
      ],
      fee_model: 'wallet creation is free; a small rail fee applies on completed paid agent work',
      wallet: null,
    })
    const agent = await owner()
    const input = {
      mode: 'create_wallet' as const,
      label: 'travel',
      limits: { per_run_usd: 107 },
      idempotency_key: key(),
    }
    const first = await agent.call('allowance-wallet-create', input)
    const { wallet, receipt } = first.body
    expect(wallet).toMatchObject({
      owner: agent.agentId,
      label: 'travel',
      state: 'active',
      postings: [],
    })
    expect(wallet.limits).toEqual({ per_run_usd: 107, per_day_usd: null, rails: null })
    expect(wallet).toMatchObject({ balance_units: 0, reserved_units: 0 })
    expect(receipt).toMatchObject({
      kind: 'intake',
      subject: wallet.wallet_id,
      payload: { fee_usd: 0, currency: 'usd' },
    })
    const { verified } = (
      await apis.open().call('verify-receipt', { receipt_id: receipt.receipt_id })
    ).body
    expect(verified).toBe(true)
    const again = await agent.call('allowance-wallet-create', input)
    expect(again).toMatchObject({ replayed: true, body: first.body })
  },
)

verifies(
  'wallet.http.one',
  'an agent has one free wallet, also when it creates twenty at once',
  async () => {
    const agent = await owner()
    const asked = Array.from({ length: 20 }, (_, index) => {
      const input = { label: `${index}`, idempotency_key: key() }
      return patiently(async () =>
        agent.clients[index % 2]?.call('allowance-wallet-create', input),
      ).then(
        (answer) => String(answer?.status),
        (error) => String(error.code),
      )
    })
    const outcomes = (await Promise.all(asked)).sort()
    expect(outcomes).toEqual(['201', ...Array(19).fill('already_exists')])
    // An agent that kept no id finds its wallet by its key, and by the refusal of a second one.
    const { wallet } = (await agent.call('allowance-wallet-read', {})).body
    const more = agent.call('allowance-wallet-create', { label: 'more', idempotency_key: key() })
    expect(await problemOf(more)).toMatchObject({ wallet_id: wallet?.wallet_id })
    expect(wallet).toMatchObject({ owner: agent.agentId, state: 'active' })
    expect((await apis.open().call('allowance-wallet-read', {})).body.wallet).toBeNull()
  },
)

verifies(
  'pipeline.default-mode',
  'a body without a mode creates a wallet; an unknown mode is refused',
  async () => {
    const agent = await owner()
    const send = async (body: object) => {
      const headers = {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${agent.credential}`,
      }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const answer = await fetch(`${apis.hosts[0]?.base}/api/agent-allowance-wallet`, init)
      return { status: answer.status, body: (await answer.json()) as { code?: string } }
    }
    expect(await send({ mode: 'open_wallet', idempotency_key: key() })).toMatchObject({
      body: { code: 'unknown_mode' },
    })
    expect(await send({ mode: '', idempotency_key: key() })).toMatchObject({
      body: { code: 'unknown_mode' },
    })
    expect(await send({ idempotency_key: key() })).toMatchObject({ status: 201 })
  },
)

verifies('wallet.http.owner', 'only its agent and an operator can read a wallet', async () => {
  const [agent, stranger] = [await owner(), await owner()]
  const { wallet_id } = await create(agent)
  const reading = { wallet_id }
  expect(await codeOf(stranger.call('allowance-wallet-read', reading))).toBe('not_owner')
  expect(await codeOf(apis.open().call('allowance-wallet-read', reading))).toBe(
    'credential_required',
  )
  expect(
    await codeOf(agent.call('allowance-wallet-read', { wallet_id: `aw_${'0'.repeat(64)}` })),
  ).toBe('not_found')
  expect((await apis.console.call('allowance-wallet-read', reading)).body.wallet).toEqual(
    await read(agent, wallet_id),
  )
  expect(await codeOf(stranger.call('allowance-fund', invoice(wallet_id, 5)))).toBe('not_owner')
  expect(await codeOf(limit(stranger, wallet_id, {}))).toBe('not_owner')
  expect(await codeOf(payBy(stranger, (await quoted(stranger)).quote_id, wallet_id))).toBe(
    'not_owner',
  )
  const without = await apis.agent(['runs:read'])
  expect(await codeOf(without.call('allowance-wallet-read', reading))).toBe('scope_denied')
  expect(await codeOf(without.call('allowance-wallet-create', { idempotency_key: key() }))).toBe(
    'scope_denied',
  )
})

verifies(
  'wallet.http.fund',
  'a payment into a wallet counts once it is confirmed, and once',
  async () => {
    const agent = await owner()
    const { wallet_id } = await create(agent)
    const input = invoice(wallet_id, 250)
    const presented = (await agent.call('allowance-fund', input)).body
    expect(presented).toMatchObject({
      wallet: { balance_units: 0 },
      payment_reference: { state: 'pending', wallet_id, amount_usd: 250, entitlement_id: null },
      verification: { by: ['operator', 'provider'], next_poll_ms: 5000 },
    })
    const { payment_reference_id } = presented.payment_reference
    const again = await agent.call('allowance-fund', { ...input, idempotency_key: key() })
    expect(again.body.payment_reference.payment_reference_id).toBe(payment_reference_id)
    expect(
      await codeOf(
        agent.call('allowance-fund', { ...input, amount_usd: 251, idempotency_key: key() }),
      ),
    ).toBe('amount_mismatch')
    await apis.decide(payment_reference_id, 'approve')
    const look = { mode, wallet_id, payment_reference_id }
    for (let count = 0; count < 3; count += 1) {
      const { status, body } = await agent.call('allowance-fund', {
        ...look,
        idempotency_key: key(),
      })
      expect({ status, body }).toMatchObject({
        status: 202,
        body: { wallet: { balance_units: 250 } },
      })
      expect(body.payment_reference.settlement_receipt_id).toMatch(/^rc_/)
    }
    const account = `wallet:${wallet_id}`
    expect((await read(agent, wallet_id))?.postings).toMatchObject([
      {
        debit: 'clearing:invoice_reference',
        credit: account,
        units: 250,
        reason: 'settlement_receipt',
      },
    ])
    expect((await auditBooks(apis.db)).get(account)).toBe(250)
  },
)

verifies(
  'wallet.http.fund',
  'a provider’s event funds a wallet, and a refund removes the funds',
  async () => {
    const agent = await owner()
    const { wallet_id } = await create(agent)
    const session = `cs_${key()}`
    const hosted = { ...invoice(wallet_id, 100, session), method: 'hosted_checkout' as const }
    const { payment_reference } = (await agent.call('allowance-fund', hosted)).body
    expect(payment_reference.state).toBe('pending')
    await apis.notify(providerEvent('payment.settled', session, 100, { wallet_id }))
    expect((await read(agent, wallet_id))?.balance_units).toBe(100)
    await apis.notify(providerEvent('payment.refunded', session, 100))
    expect(await read(agent, wallet_id)).toMatchObject({
      balance_units: 0,
      postings: [{}, { reason: 'refund' }],
    })
    await auditBooks(apis.db)
  },
)

verifies('wallet.http.fund', 'only the provider that is named confirms a top-up', async () => {
  const agent = await owner()
  const { wallet_id } = await create(agent)
  const fund = (provider: string) =>
    agent.call('allowance-fund', { ...invoice(wallet_id, 10), provider })
  expect(await codeOf(fund('unknown'))).toBe('invalid_request')
  const { payment_reference_id } = (await fund('tills')).body.payment_reference
  expect((await findReference(apis.db, payment_reference_id))?.provider).toBe('tills')
})

verifies('wallet.http.fund', 'a payment for something else is not one for the wallet', async () => {
  const agent = await owner()
  const { wallet_id } = await create(agent)
  const { quote_id } = await quoted(agent)
  const paid = {
    quote_id,
    method: 'invoice_reference' as const,
    external_reference: `INV-${key()}`,
  }
  const { payment_reference } = (
    await agent.call('payment-reference-create', { ...paid, idempotency_key: key() })
  ).body
  const { payment_reference_id } = payment_reference
  const into = () =>
    agent.call('allowance-fund', { mode, wallet_id, payment_reference_id, idempotency_key: key() })
  expect(await codeOf(into())).toBe('payment_pending')
  await apis.decide(payment_reference_id, 'approve')
  expect(await codeOf(into())).toBe('reference_already_used')
  const named = { ...invoice(wallet_id, 10), external_reference: paid.external_reference }
  expect(await codeOf(agent.call('allowance-fund', named))).toBe('reference_already_used')
  const from = { ...invoice(wallet_id, 10), method: 'agent_allowance' as const, payer: wallet_id }
  expect(await codeOf(agent.call('allowance-fund', from))).toBe('unsupported_request')
  const both = { ...invoice(wallet_id, 10), payment_reference_id }
  expect(await codeOf(agent.call('allowance-fund', both))).toBe('invalid_request')
})

verifies(
  'wallet.http.terms',
  'x402 payers get the exact terms to sign, mandates pay no wallet',
  async () => {
    const agent = await owner()
    const { wallet_id } = await create(agent)
    const by = (method: 'x402_reference' | 'ap2_mandate_reference') =>
      problemOf(agent.call('allowance-fund', { ...invoice(wallet_id, 120), method }))
    const x402 = await by('x402_reference')
    expect(x402).toMatchObject({
      status: 402,
      code: 'payment_required',
      accepts: [{ amount: '120000000' }],
    })
    expect(x402['accepted_methods']).toContain('x402_reference')
    expect(x402['accepted_methods']).not.toContain('agent_allowance')
    expect(x402['accepted_methods']).not.toContain('ap2_mandate_reference')
    expect(await by('ap2_mandate_reference')).toMatchObject({ code: 'unsupported_request' })
    const bad = {
      ...invoice(wallet_id, 120),
      method: 'x402_reference' as const,
      proof: { payment: 'bm9uZQ==' },
    }
    expect(await codeOf(agent.call('allowance-fund', bad))).toBe('payment_invalid')
  },
)

verifies(
  'wallet.http.limits',
  'agents narrow and operators widen limits, each with a receipt',
  async () => {
    const agent = await owner()
    const { wallet_id } = await create(agent, {
      per_run_usd: 200,
      rails: ['packetops', 'energyops'],
    })
    const narrowed = (await limit(agent, wallet_id, { per_run_usd: 150 })).body
    expect(narrowed.wallet.limits).toEqual({
      per_run_usd: 150,
      per_day_usd: null,
      rails: ['packetops', 'energyops'],
    })
    for (const wider of [{ per_run_usd: 151 }, { per_run_usd: null }, { rails: null }])
      expect(await codeOf(limit(agent, wallet_id, wider))).toBe('control_denied')
    const widened = (
      await limit(apis.console, wallet_id, { per_run_usd: null, rails: ['packetops'] })
    ).body
    expect(widened.wallet.limits).toEqual({
      per_run_usd: null,
      per_day_usd: null,
      rails: ['packetops'],
    })
    expect(widened.receipt).toMatchObject({
      kind: 'control_change',
      payload: {
        wallet_id,
        widened: true,
        from: { per_run_usd: 150 },
        operator: expect.stringMatching(/^operator:/),
      },
    })
    expect(narrowed.receipt).toMatchObject({ payload: { widened: false, agent_id: agent.agentId } })
    expect(narrowed.receipt.receipt_id).not.toBe(widened.receipt.receipt_id)
  },
)

verifies(
  'wallet.http.limits',
  'a wallet pays within limits and balance, and names the shortfall',
  async () => {
    const agent = await owner()
    const { wallet_id } = await filled(agent, 10_000, {
      per_run_usd: 400,
      per_day_usd: 500,
      rails: ['packetops'],
    })
    const first = await quoted(agent)
    expect(await payBy(agent, first.quote_id, wallet_id)).toMatchObject({
      state: 'verified',
      decided_by: 'wallet',
    })
    expect(await codeOf(payBy(agent, (await quoted(agent, 'energyops')).quote_id, wallet_id))).toBe(
      'control_denied',
    )
    await limit(apis.console, wallet_id, { per_run_usd: 10, per_day_usd: 10_000 })
    expect(await codeOf(payBy(agent, (await quoted(agent)).quote_id, wallet_id))).toBe(
      'control_denied',
    )
    await limit(apis.console, wallet_id, { per_run_usd: null, per_day_usd: first.total_usd + 1 })
    expect(await codeOf(payBy(agent, (await quoted(agent)).quote_id, wallet_id))).toBe(
      'control_denied',
    )
    expect(await read(agent, wallet_id)).toMatchObject({
      balance_units: 10_000 - first.total_usd,
      reserved_units: first.total_usd,
    })
    const poor = await owner()
    const little = await filled(poor, 1)
    const problem = await problemOf(payBy(poor, (await quoted(poor)).quote_id, little.wallet_id))
    expect(problem).toMatchObject({
      code: 'wallet_underfunded',
      money_moved: 'no',
      shortfall_usd: units * 49 - 1,
    })
    await auditBooks(apis.db)
  },
)

verifies('fees.held', 'a wallet shows what it holds for fees', async () => {
  const agent = await owner()
  const { wallet_id } = await filled(agent, 120)
  const shown = async () => {
    const wallet = await read(agent, wallet_id)
    return { balance_units: wallet?.balance_units, held_units: wallet?.held_units }
  }
  expect(await shown()).toEqual({ balance_units: 120, held_units: 0 })
  const event = [`fe_${'a'.repeat(64)}`, 'escrow_fee', 'a claim', agent.agentId, wallet_id]
  await sql`insert into fee_events (fee_event_id, item, subject, agent_id, wallet_id, amount_usd, state)
    values (${sql.join(event)}, 100, 'held')`.execute(apis.db)
  expect(await shown()).toEqual({ balance_units: 120, held_units: 100 })
  const problem = await problemOf(payBy(agent, (await quoted(agent)).quote_id, wallet_id))
  expect(problem).toMatchObject({ shortfall_usd: units * 49 - 20 })
  await sql`update fee_events set state = 'released' where fee_event_id = ${event[0]}`.execute(
    apis.db,
  )
  expect(await shown()).toEqual({ balance_units: 120, held_units: 0 })
})

verifies('wallet.http.payer', 'a payment by allowance without its wallet is a 400', async () => {
  const agent = await owner()
  const { wallet_id } = await filled(agent, 10_000)
  const { quote_id } = await quoted(agent)
  const asked = { quote_id, method: 'agent_allowance', external_reference: wallet_id } as const
  const pay = (more: { payer?: string } = {}) =>
    agent.call('payment-reference-create', { ...asked, ...more, idempotency_key: key() })
  for (const more of [{}, { payer: '' }])
    expect(await problemOf(pay(more))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer: '/payer' }],
    })
  expect((await pay({ payer: wallet_id })).body).toMatchObject({
    payment_reference: { state: 'verified' },
    verification: { how: expect.stringContaining('payer') },
  })
})

verifies(
  'wallet.http.limits',
  'fifty concurrent payments never exceed the daily limit or balance',
  async () => {
    const agent = await owner()
    const { wallet_id } = await filled(agent, 100_000, { per_day_usd: 2_000 })
    const quotes = await Promise.all(Array.from({ length: 50 }, () => quoted(agent)))
    const paid = await Promise.allSettled(
      quotes.map(({ quote_id }, index) => {
        const client = agent.clients[index % 2] ?? agent
        return payBy({ ...agent, call: client.call }, quote_id, wallet_id)
      }),
    )
    const spent = paid.flatMap((one, index) =>
      one.status === 'fulfilled' ? [quotes[index]?.total_usd ?? 0] : [],
    )
    const total = spent.reduce((sum, usd) => sum + usd, 0)
    expect(total).toBeLessThanOrEqual(2_000)
    expect(spent.length).toBeGreaterThan(0)
    expect((await auditBooks(apis.db)).get(`wallet:${wallet_id}`)).toBe(100_000 - total)
  },
)

verifies('wallet.http.paused', 'a paused wallet pays nothing until it is resumed', async () => {
  const agent = await owner()
  const { wallet_id } = await filled(agent, 10_000)
  const pause = (paused: boolean) =>
    apis.console.call('pause-set', {
      scope: 'wallet' as const,
      target: wallet_id,
      paused,
      reason: 'looked at',
      idempotency_key: key(),
    })
  await pause(true)
  expect((await read(agent, wallet_id))?.state).toBe('paused')
  const { quote_id } = await quoted(agent)
  expect(await problemOf(payBy(agent, quote_id, wallet_id))).toMatchObject({
    code: 'paused',
    money_moved: 'no',
  })
  await pause(false)
  expect((await payBy(agent, quote_id, wallet_id)).state).toBe('verified')
})

verifies(
  'wallet-run.start',
  'while Temporal is away a run is paid and stored all the same',
  async () => {
    const agent = await owner()
    const { wallet_id } = await filled(agent, 10_000)
    const { quote_id, total_usd } = await quoted(agent)
    const terms = {
      rail: 'packetops',
      tier: 'entry',
      on_gaps: 'report',
      accept_terms: true,
    } as const
    const input = packetops.sandboxInput as InputOf<'wallet-run-start'>['input']
    const asked = { ...terms, quote_id, wallet_id, input, idempotency_key: key() }
    const { status, body } = await agent.call('wallet-run-start', asked)
    expect({ status, state: body.run.state }).toEqual({ status: 202, state: 'credit_funded' })
    expect(await read(agent, wallet_id)).toMatchObject({ balance_units: 10_000 - total_usd })
    expect((await agent.call('wallet-run-start', asked)).body).toEqual(body)
  },
)
