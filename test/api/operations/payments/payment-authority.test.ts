import { afterAll, beforeAll, expect } from 'vitest'
import type { InputOf } from '../../../../api/http/client.ts'
import { auditBooks } from '../../../support/books.ts'
import { key, providerEvent, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis()
})
afterAll(() => apis?.stop())

const owner = () => apis.agent(['runs:read', 'runs:write', 'wallets:read', 'wallets:write'])
type Agent = Awaited<ReturnType<typeof owner>>

let units = 1
const quoted = async (agent: Agent) => {
  const asked = {
    rail: 'packetops' as const,
    tier: 'entry' as const,
    units: ++units,
    idempotency_key: key(),
  }
  return (await agent.call('agent-quote', asked)).body.quote
}
type Asked = Omit<InputOf<'payment-authority-check'>, 'idempotency_key'>
const check = async (agent: Agent, asked: Asked) =>
  (await agent.call('payment-authority-check', { ...asked, idempotency_key: key() })).body
const authorityOf = async (agent: Agent, payment_reference_id = '') =>
  (await agent.call('payment-authority-read', { payment_reference_id })).body.authority

async function walletOf(agent: Agent, usd: number) {
  const { wallet } = (await agent.call('allowance-wallet-create', { idempotency_key: key() })).body
  const { wallet_id } = wallet
  const mode = 'fund_allowance' as const
  const paid = {
    mode,
    method: 'invoice_reference' as const,
    external_reference: `INV-${key()}`,
    amount_usd: usd,
  }
  const { payment_reference } = (
    await agent.call('allowance-fund', { ...paid, wallet_id, idempotency_key: key() })
  ).body
  await apis.decide(payment_reference.payment_reference_id, 'approve')
  return wallet_id
}

verifies(
  'authority.payment.contract',
  'lists four types with host, needs and payment method',
  async () => {
    const { authority_types, rules, authority } = (
      await apis.open().call('payment-authority-read', {})
    ).body
    expect(authority_types).toEqual([
      'checkout',
      'stablecoin_checkout',
      'agent_allowance_reference',
      'wallet_reference',
    ])
    expect(
      rules.map(({ authority_type, hosted_by, needs, method }) => [
        authority_type,
        hosted_by,
        needs,
        method,
      ]),
    ).toEqual([
      ['checkout', 'provider', 'provider_session_id', 'hosted_checkout'],
      ['stablecoin_checkout', 'provider', 'provider_session_id', 'hosted_checkout'],
      ['agent_allowance_reference', 'service', 'wallet_id', 'agent_allowance'],
      ['wallet_reference', 'wallet_owner', 'wallet_proof', 'stablecoin_reference'],
    ])
    const basis = [
      /signed event says so/,
      /in a stablecoin at par/,
      /within its limits/,
      /signs for/,
    ]
    for (const [at, { rule }] of rules.entries()) expect(rule).toMatch(basis[at] as RegExp)
    expect(authority).toBeNull()
  },
)

verifies(
  'authority.payment.check',
  'a wallet that covers the total is authorized, and nothing has moved',
  async () => {
    const agent = await owner()
    const wallet_id = await walletOf(agent, 1_000)
    const { quote_id, total_usd } = await quoted(agent)
    const asked = { authority_type: 'agent_allowance_reference' as const, quote_id, wallet_id }
    const first = await check(agent, asked)
    expect(first).toMatchObject({
      decision: 'authorized',
      reasons: [],
      amount_usd: total_usd,
      payment_reference: { state: 'presented', method: 'agent_allowance' },
      limits_left: {
        agent_usd: null,
        wallet: { per_run_usd: null, day_usd: 100_000, balance_usd: 1_000 },
      },
    })
    expect((await auditBooks(apis.db)).get(`wallet:${wallet_id}`)).toBe(1_000)
    const id = first.payment_reference?.payment_reference_id
    expect((await check(agent, asked)).payment_reference?.payment_reference_id).toBe(id)
    expect(await authorityOf(agent, id)).toEqual(first)
    const paying = {
      quote_id,
      method: 'agent_allowance' as const,
      external_reference: 'allowance',
      payer: wallet_id,
    }
    const paid = await agent.call('payment-reference-create', { ...paying, idempotency_key: key() })
    expect(paid.body.payment_reference).toMatchObject({
      state: 'verified',
      payment_reference_id: id,
    })
    expect((await auditBooks(apis.db)).get(`wallet:${wallet_id}`)).toBe(1_000 - total_usd)
    expect(await authorityOf(agent, id)).toMatchObject({
      decision: 'authorized',
      payment_reference: { state: 'verified' },
    })
  },
)

verifies(
  'authority.payment.check',
  'an insufficient wallet is denied with every reason, without a payment',
  async () => {
    const agent = await owner()
    const wallet_id = await walletOf(agent, 10)
    const limits = { per_run_usd: 5, per_day_usd: 5, rails: ['energyops' as const] }
    await agent.call('allowance-limits', {
      mode: 'set_limits',
      wallet_id,
      limits,
      idempotency_key: key(),
    })
    const { quote_id } = await quoted(agent)
    const denied = await check(agent, {
      authority_type: 'agent_allowance_reference',
      quote_id,
      wallet_id,
    })
    expect(denied).toMatchObject({
      decision: 'denied',
      payment_reference: null,
      limits_left: { wallet: { day_usd: 5 } },
    })
    expect(denied.reasons).toHaveLength(4)
    const stranger = await owner()
    const other = {
      authority_type: 'agent_allowance_reference' as const,
      wallet_id,
      quote_id: (await quoted(stranger)).quote_id,
    }
    expect(await codeOf(check(stranger, other))).toBe('not_owner')
  },
)

verifies(
  'authority.payment.check',
  'a session is authorized or denied by its provider’s event',
  async () => {
    const agent = await owner()
    for (const [authority_type, event, decision] of [
      ['checkout', 'payment.settled', 'authorized'],
      ['stablecoin_checkout', 'payment.failed', 'denied'],
    ] as const) {
      const { quote_id, total_usd } = await quoted(agent)
      const session = `cs_${key()}`
      const asked = await check(agent, { authority_type, quote_id, provider_session_id: session })
      expect(asked).toMatchObject({
        decision: 'needs_provider',
        payment_reference: { state: 'presented' },
      })
      const id = asked.payment_reference?.payment_reference_id
      const { challenge_id } = asked.payment_reference ?? {}
      await apis.notify(providerEvent(event, session, total_usd, { challenge_id }))
      expect(await authorityOf(agent, id)).toMatchObject({ authority_type, decision })
      const stranger = await owner()
      expect(await codeOf(authorityOf(stranger, id))).toBe('not_owner')
    }
  },
)

const allowancePayment = { method: 'agent_allowance', external_reference: 'allowance' } as const
const pay = async (
  agent: Agent,
  quote_id: string,
  as: {
    method: 'agent_allowance' | 'invoice_reference' | 'hosted_checkout'
    external_reference: string
    payer?: string
  },
) =>
  (await agent.call('payment-reference-create', { quote_id, ...as, idempotency_key: key() })).body
    .payment_reference
const stateOf = async (agent: Agent, id = '') =>
  (await authorityOf(agent, id))?.payment_reference?.state

verifies('authority.payment.other-way', 'after a check a quote is paid in any way', async () => {
  const agent = await owner()
  const wallet_id = await walletOf(agent, 5_000)
  const byWallet = { ...allowancePayment, payer: wallet_id }
  const invoice = () =>
    ({ method: 'invoice_reference', external_reference: `INV-${key()}` }) as const
  const session = () =>
    ({ authority_type: 'checkout', provider_session_id: `cs_${key()}` }) as const
  const allowance = { authority_type: 'agent_allowance_reference', wallet_id } as const

  const first = await quoted(agent)
  const asked = await check(agent, { ...session(), quote_id: first.quote_id })
  expect((await pay(agent, first.quote_id, byWallet)).state).toBe('verified')
  expect(await stateOf(agent, asked.payment_reference?.payment_reference_id)).toBe('rejected')

  const { quote_id } = await quoted(agent)
  const covered = await check(agent, { ...allowance, quote_id })
  const other = await check(agent, { ...session(), quote_id })
  expect(other.decision).toBe('needs_provider')
  expect(await stateOf(agent, covered.payment_reference?.payment_reference_id)).toBe('rejected')
  expect((await pay(agent, quote_id, invoice())).state).toBe('pending')

  const run = await quoted(agent)
  await check(agent, { ...session(), quote_id: run.quote_id })
  const mode = 'create_payment_challenge'
  const opened = { mode, quote_id: run.quote_id, idempotency_key: key() } as const
  expect(await problemOf(agent.call('create-payment-challenge', opened))).toMatchObject({
    code: 'payment_pending',
    money_moved: 'no',
  })
})

verifies('authority.payment.other-way', 'a check that is presented or paid stays', async () => {
  const agent = await owner()
  const wallet_id = await walletOf(agent, 5_000)
  const byWallet = { ...allowancePayment, payer: wallet_id }
  const asked = async () => {
    const quote = await quoted(agent)
    const session = `cs_${key()}`
    const of = { authority_type: 'checkout', provider_session_id: session } as const
    const checked = await check(agent, { ...of, quote_id: quote.quote_id })
    return { ...quote, session, id: checked.payment_reference?.payment_reference_id, checked }
  }
  const presented = await asked()
  const hosted = { method: 'hosted_checkout', external_reference: presented.session } as const
  expect((await pay(agent, presented.quote_id, hosted)).payment_reference_id).toBe(presented.id)
  const mode = 'create_payment_challenge'
  const opened = { mode, quote_id: presented.quote_id, idempotency_key: key() } as const
  expect(await problemOf(agent.call('create-payment-challenge', opened))).toMatchObject({
    code: 'payment_pending',
    money_moved: 'unknown',
  })
  // No provider has spoken of the session.
  expect((await pay(agent, presented.quote_id, byWallet)).state).toBe('verified')

  const wrong = await asked()
  const { challenge_id } = wrong.checked.payment_reference ?? {}
  const event = providerEvent('payment.settled', wrong.session, 1, { challenge_id })
  await apis.notify(event)
  expect(await codeOf(pay(agent, wrong.quote_id, byWallet))).toBe('payment_pending')

  const { quote_id, total_usd } = await quoted(agent)
  const covered = await check(agent, {
    authority_type: 'agent_allowance_reference',
    quote_id,
    wallet_id,
  })
  const of = { challenge_id: covered.payment_reference?.challenge_id }
  await apis.notify(providerEvent('payment.settled', `cs_${key()}`, total_usd, of))
  const id = covered.payment_reference?.payment_reference_id
  expect(await stateOf(agent, id)).toBe('rejected')
  expect(await codeOf(pay(agent, quote_id, byWallet))).toBe('already_funded')
})

verifies(
  'authority.stablecoin',
  'a stablecoin checkout is authorized by a stablecoin event alone',
  async () => {
    const agent = await owner()
    for (const [currency, decision] of [
      ['usd', 'needs_provider'],
      ['usdc', 'authorized'],
    ] as const) {
      const { quote_id, total_usd } = await quoted(agent)
      const session = `cs_${key()}`
      const asked = await check(agent, {
        authority_type: 'stablecoin_checkout',
        quote_id,
        provider_session_id: session,
      })
      const { challenge_id } = asked.payment_reference ?? {}
      const paid = { currency, challenge_id }
      await apis.notify(providerEvent('payment.settled', session, total_usd, paid))
      expect(await authorityOf(agent, asked.payment_reference?.payment_reference_id)).toMatchObject(
        { decision },
      )
    }
  },
)

verifies(
  'authority.payment.check',
  'its carrier must fit its type, be proven and have a live quote',
  async () => {
    const agent = await owner()
    const { quote_id } = await quoted(agent)
    const signature = `0x${'11'.repeat(65)}` as const
    const wallet_proof = {
      wallet: `0x${'ab'.repeat(20)}`,
      transaction_hash: `0x${'cd'.repeat(32)}`,
      signature,
    }
    expect(await codeOf(check(agent, { authority_type: 'checkout', quote_id, wallet_proof }))).toBe(
      'invalid_request',
    )
    expect(await codeOf(check(agent, { authority_type: 'wallet_reference', quote_id }))).toBe(
      'invalid_request',
    )
    expect(
      await codeOf(check(agent, { authority_type: 'wallet_reference', quote_id, wallet_proof })),
    ).toMatch(/proof_invalid|unavailable/)
    const unknown = {
      authority_type: 'checkout' as const,
      quote_id: `qt_${'0'.repeat(64)}`,
      provider_session_id: 's',
    }
    expect(await codeOf(check(agent, unknown))).toBe('not_found')
    expect(
      await codeOf(
        apis
          .open()
          .call('payment-authority-read', { payment_reference_id: `pr_${'0'.repeat(64)}` }),
      ),
    ).toBe('credential_required')
  },
)
