import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { checkedLink } from '../../../../activities/store/credit/product-links.ts'
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

const buyer = () => apis.agent(['runs:read', 'runs:write'])
type Agent = Awaited<ReturnType<typeof buyer>>

let units = 1
const quoted = async (by: Pick<Agent, 'call'>, more: Partial<InputOf<'agent-quote'>> = {}) => {
  const asked = {
    rail: 'packetops' as const,
    tier: 'standard' as const,
    units: ++units,
    idempotency_key: key(),
  }
  return (await by.call('agent-quote', { ...asked, ...more })).body.quote
}
const customer = { name: 'Example Ltd', email: 'ap@example.com', purchase_order: 'PO-12' }
const open = async (
  quote_id: string,
  payment_path: InputOf<'rail-checkout-open'>['payment_path'],
) =>
  (
    await apis
      .open()
      .call('rail-checkout-open', { quote_id, payment_path, customer, idempotency_key: key() })
  ).body
const setLink = async (url: string | null, more: Partial<InputOf<'payment-links-set'>> = {}) => {
  const cell = {
    rail: 'packetops' as const,
    tier: 'pro' as const,
    provider_price_usd: 269,
    idempotency_key: key(),
  }
  return (await apis.console.call('payment-links-set', { ...cell, url, ...more })).body
}
const cellOf = async (rail: string, tier: string) =>
  (await apis.console.call('payment-links-read', {})).body.cells.find(
    (one) => one.rail === rail && one.tier === tier,
  )

/** The agent's pending credit of a quote: what presents a payment that is rejected leaves it, with the challenge open again. */
async function pendingCredit(agent: Agent) {
  const quote = await quoted(agent)
  const { challenge } = await open(quote.quote_id, 'invoice_or_purchase_order')
  const paid = { challenge_id: challenge.challenge_id, method: 'invoice_reference' as const }
  const input = { ...paid, external_reference: `INV-${key()}`, idempotency_key: key() }
  const { payment_reference } = (await agent.call('payment-reference-create', input)).body
  await apis.decide(payment_reference.payment_reference_id, 'reject')
  return {
    quote,
    challenge_id: challenge.challenge_id,
    entitlement_id: payment_reference.entitlement_id ?? '',
  }
}
const bind = async (agent: Agent, entitlement_id: string, challenge_id: string) =>
  (
    await agent.call('credit-binding-create', {
      entitlement_id,
      challenge_id,
      idempotency_key: key(),
    })
  ).body

verifies(
  'checkout.cards',
  'every sold rail and tier has a card with our checkout as fallback',
  async () => {
    const { product_cards, challenge } = (await apis.open().call('rail-checkout-read', {})).body
    expect(challenge).toBeNull()
    expect(product_cards).toHaveLength(18)
    // agent-commerce.md § Prices, movement fee schedule.
    const totals = {
      packetops: [49, 107, 269],
      diligenceops: [99, 215, 431],
      energyops: [149, 323, 539],
    }
    for (const [rail, expected] of Object.entries(totals)) {
      const cards = product_cards.filter((card) => card.rail === rail)
      expect(cards.map(({ total_usd }) => total_usd)).toEqual(expected)
      for (const { tier, link_state, url } of cards)
        expect({ link_state, url }).toEqual({
          link_state: 'rail_checkout',
          url: `${apis.config.BASE_URL}/api/agent-rail-checkout?rail=${rail}&tier=${tier}`,
        })
    }
    const one = (await apis.open().call('rail-checkout-read', { rail: 'packetops', tier: 'pro' }))
      .body.product_cards
    expect(one).toMatchObject([{ rail: 'packetops', tier: 'pro', total_usd: 269 }])
    const links = (await apis.open().call('diligence-product-links', {})).body.product_cards
    expect(links.map(({ total_usd }) => total_usd)).toEqual([99, 215, 431])
    expect(
      (await apis.open().call('diligence-product-links', { tier: 'pro' })).body.product_cards,
    ).toHaveLength(1)
  },
)

verifies(
  'checkout.links',
  'an operator sets pages at the quote’s total; dead pages are not shown',
  async () => {
    const { cells, done, left } = (await apis.console.call('payment-links-read', {})).body
    expect({ cells: cells.length, done, left }).toEqual({ cells: 18, done: 0, left: 18 })
    expect(new Set(cells.map(({ state }) => state))).toEqual(new Set(['missing']))
    const page = 'https://127.0.0.1/pay'
    expect(await codeOf(setLink(page, { provider_price_usd: 268 }))).toBe('amount_mismatch')
    expect(await codeOf(setLink(page, { rail: 'contractops' }))).toBe('unsupported_request')
    expect(await codeOf(setLink('http://pay.example.com/p'))).toBe('invalid_request')
    const unknown = await fetch(`${apis.hosts[0]?.base}/api/payment-link-configuration-sprint`)
    expect(await unknown.json()).toMatchObject({ code: 'operator_required' })
    expect(await cellOf('packetops', 'pro')).toMatchObject({ state: 'missing' })
    const input = { idempotency_key: key() }
    const first = await setLink(page, input)
    expect(first).toMatchObject({
      cell: {
        rail: 'packetops',
        tier: 'pro',
        link: page,
        state: 'broken',
        checked_at: expect.any(String),
      },
      check: { reachable: false, price_matches: true },
      receipt: { kind: 'control_change', payload: { url: page, operator_name: 'Ada' } },
    })
    expect(await setLink(page, input)).toEqual(first)
    const cards = (await apis.open().call('rail-checkout-read', { rail: 'packetops', tier: 'pro' }))
      .body.product_cards
    expect(cards).toMatchObject([{ link_state: 'rail_checkout' }])
    expect(await setLink(null)).toMatchObject({
      cell: { link: null, state: 'missing', checked_at: null },
    })
  },
)

verifies(
  ['checkout.links', 'checkout.open'],
  'a live page is shown, and its payer need not present a payment',
  async () => {
    const url = 'https://127.0.0.1/p/energy?lang=en'
    const terms = { rail: 'energyops' as const, tier: 'entry' as const }
    const { receipt } = await setLink(url, { ...terms, provider_price_usd: 149 })
    // As a look at a page that answers leaves it.
    await checkedLink(apis.db, receipt.receipt_id, 'live')
    expect(await cellOf('energyops', 'entry')).toMatchObject({ state: 'live' })
    const cards = (await apis.open().call('rail-checkout-read', terms)).body.product_cards
    expect(cards).toMatchObject([{ link_state: 'hosted', url }])
    const agent = await buyer()
    const quote = await quoted(agent, { ...terms, units: 1 })
    const { challenge, reference_instructions } = await open(quote.quote_id, 'hosted_checkout_link')
    expect(challenge.checkout_url).toBe(`${url}&client_reference_id=${challenge.challenge_id}`)
    expect(reference_instructions).toMatch(/^Pay at checkout_url/)
    const asking = {
      mode: 'create_payment_challenge' as const,
      quote_id: quote.quote_id,
      idempotency_key: key(),
    }
    const notified = await problemOf(apis.open().call('create-payment-challenge', asking))
    expect(notified['challenge']).toMatchObject({ checkout_url: challenge.checkout_url })
    const { challenge: several } = await open(
      (await quoted(agent, terms)).quote_id,
      'hosted_checkout_link',
    )
    expect(several.checkout_url).toBeNull()
    // A price that is no more the quote’s is not shown either.
    await sql`update product_links set provider_price_usd = 150 where rail = 'energyops'`.execute(
      apis.db,
    )
    expect(await cellOf('energyops', 'entry')).toMatchObject({ state: 'price_differs' })
    expect(
      (await apis.open().call('rail-checkout-read', terms)).body.product_cards[0]?.link_state,
    ).toBe('rail_checkout')
  },
)

verifies(
  'checkout.open',
  'each path opens the one challenge of the quote and says how it pays it',
  async () => {
    const agent = await buyer()
    const quote = await quoted(agent)
    const opened = await Promise.all(
      (
        [
          'invoice_or_purchase_order',
          'agent_credit',
          'manual_operator_verified_reference',
          'hosted_checkout_link',
        ] as const
      ).map((path) => open(quote.quote_id, path)),
    )
    expect(new Set(opened.map(({ challenge }) => challenge.challenge_id)).size).toBe(1)
    for (const { challenge } of opened)
      expect(challenge).toMatchObject({
        state: 'open',
        amount_usd: quote.total_usd,
        checkout_url: null,
      })
    const [invoice, credit, manual, hosted] = opened.map(
      ({ reference_instructions }) => reference_instructions,
    )
    expect(invoice).toContain(`exactly ${quote.total_usd} usd`)
    expect(invoice).toContain('invoice_reference')
    expect(credit).toContain('agent_allowance')
    expect(manual).toContain('payment_reference')
    expect(hosted).toContain('No hosted page')
    const { rows } = await sql<{
      customer_name: string
    }>`select customer_name, customer_email, purchase_order from checkouts
    where challenge_id = ${opened[0]?.challenge.challenge_id}`.execute(apis.db)
    expect(rows).toHaveLength(4)
    expect(rows[0]).toEqual({
      customer_name: 'Example Ltd',
      customer_email: 'ap@example.com',
      purchase_order: 'PO-12',
    })
  },
)

verifies(
  'checkout.review',
  'who confirms an invoice sees the customer and the purchase order',
  async () => {
    const agent = await buyer()
    const { quote_id } = await quoted(agent)
    const presented = { method: 'invoice_reference' as const, external_reference: `INV-${key()}` }
    await open(quote_id, 'invoice_or_purchase_order')
    const { payment_reference_id: subject_id } = (
      await agent.call('payment-reference-create', {
        quote_id,
        ...presented,
        idempotency_key: key(),
      })
    ).body.payment_reference
    const read = await apis.console.call('loop-review-console', { subject_id })
    const part = (of: typeof read, name: string) =>
      of.body.evidence?.parts.find((one) => one.name === name)?.content
    expect(part(read, 'checkouts')).toEqual([
      {
        customer_name: customer.name,
        customer_email: customer.email,
        purchase_order: customer.purchase_order,
        payment_path: 'invoice_or_purchase_order',
        opened_at: expect.any(String),
      },
    ])
    const other = await quoted(agent)
    const direct = { ...presented, quote_id: other.quote_id, external_reference: `INV-${key()}` }
    const { payment_reference } = (
      await agent.call('payment-reference-create', { ...direct, idempotency_key: key() })
    ).body
    const without = await apis.console.call('loop-review-console', {
      subject_id: payment_reference.payment_reference_id,
    })
    expect(part(without, 'payment')).toMatchObject({ state: payment_reference.state })
    expect(part(without, 'checkouts')).toBeUndefined()
  },
)

verifies(
  'checkout.open',
  'unknown, pending or paid quotes and secret names open no checkout',
  async () => {
    const agent = await buyer()
    const { quote_id } = await quoted(agent)
    const path = 'invoice_or_purchase_order'
    expect(await codeOf(open(`qt_${'0'.repeat(64)}`, path))).toBe('not_found')
    const paid = {
      quote_id,
      method: 'invoice_reference' as const,
      external_reference: `INV-${key()}`,
    }
    const { payment_reference } = (
      await agent.call('payment-reference-create', { ...paid, idempotency_key: key() })
    ).body
    const { payment_reference_id } = payment_reference
    expect(await problemOf(open(quote_id, path))).toMatchObject({
      code: 'payment_pending',
      payment_reference_id,
    })
    await apis.decide(payment_reference_id, 'approve')
    expect(await codeOf(open(quote_id, path))).toBe('already_funded')
    const other = await quoted(agent)
    await sql`alter table quotes disable trigger quotes_guard`.execute(apis.db)
    await sql`update quotes set issued_at = now() - interval '2 days', expires_at = now() - interval '1 day'
    where quote_id = ${other.quote_id}`.execute(apis.db)
    await sql`alter table quotes enable trigger quotes_guard`.execute(apis.db)
    expect(await codeOf(open(other.quote_id, path))).toBe('quote_expired')
    const named = { name: 'https://user:secret@example.com', email: 'ap@example.com' }
    const input = {
      quote_id,
      payment_path: path as typeof path,
      customer: named,
      idempotency_key: key(),
    }
    expect(await codeOf(apis.open().call('rail-checkout-open', input))).toBe('forbidden_material')
  },
)

verifies('checkout.read', 'a challenge bound to credit is read only by its agent', async () => {
  const [agent, stranger] = [await buyer(), await buyer()]
  const { challenge_id } = await pendingCredit(agent)
  const read = (by: Pick<Agent, 'call'>) => by.call('rail-checkout-read', { challenge_id })
  expect((await read(agent)).body.challenge).toMatchObject({ challenge_id, state: 'open' })
  expect(await codeOf(read(stranger))).toBe('not_owner')
  expect(await codeOf(read(apis.open()))).toBe('credential_required')
  expect(
    await codeOf(agent.call('rail-checkout-read', { challenge_id: `ch_${'0'.repeat(64)}` })),
  ).toBe('not_found')
  const { challenge } = await open((await quoted(agent)).quote_id, 'agent_credit')
  expect(
    (await stranger.call('rail-checkout-read', { challenge_id: challenge.challenge_id })).body
      .challenge,
  ).toEqual(challenge)
})

verifies('binding.create', 'a provider’s event funds exactly the bound entitlement', async () => {
  const agent = await buyer()
  const { quote, challenge_id, entitlement_id } = await pendingCredit(agent)
  const bound = await bind(agent, entitlement_id, challenge_id)
  expect(bound).toMatchObject({
    binding: { entitlement_id, challenge_id, state: 'open', settlement_receipt_id: null },
    entitlement: { entitlement_id, state: 'pending' },
    challenge: { challenge_id, entitlement_id },
  })
  expect((await bind(agent, entitlement_id, challenge_id)).binding).toEqual(bound.binding)
  const session = `cs_${key()}`
  await apis.notify(providerEvent('payment.settled', session, quote.total_usd, { challenge_id }))
  const { binding_id } = bound.binding
  const read = (await agent.call('credit-binding-read', { binding_id })).body.binding
  expect(read).toMatchObject({
    state: 'settled',
    settlement_receipt_id: expect.stringMatching(/^rc_/),
  })
  expect((await agent.call('credit-binding-read', { entitlement_id })).body.binding).toEqual(read)
  expect((await auditBooks(apis.db)).get(`credit:${entitlement_id}`)).toBe(quote.total_usd)
})

verifies('binding.create', 'what does not belong together is not bound', async () => {
  const [agent, stranger] = [await buyer(), await buyer()]
  const [one, other] = [await pendingCredit(agent), await pendingCredit(agent)]
  expect(await codeOf(bind(agent, one.entitlement_id, other.challenge_id))).toBe('amount_mismatch')
  expect(await codeOf(bind(stranger, one.entitlement_id, one.challenge_id))).toBe('not_owner')
  expect(await codeOf(bind(agent, one.entitlement_id, `ch_${'0'.repeat(64)}`))).toBe('not_found')
  await sql`alter table payment_challenges disable trigger payment_challenges_guard`.execute(
    apis.db,
  )
  await sql`update payment_challenges set expires_at = now() - interval '1 second' where challenge_id = ${one.challenge_id}`.execute(
    apis.db,
  )
  await sql`alter table payment_challenges enable trigger payment_challenges_guard`.execute(apis.db)
  expect(await codeOf(bind(agent, one.entitlement_id, one.challenge_id))).toBe('challenge_expired')
  expect(
    (await agent.call('credit-binding-read', { entitlement_id: one.entitlement_id })).body.binding,
  ).toMatchObject({
    state: 'expired',
  })
})

verifies('binding.read', 'the contract is everybody’s, a binding its agent’s', async () => {
  const [agent, stranger] = [await buyer(), await buyer()]
  const { entitlement_id } = await pendingCredit(agent)
  const { body } = await apis.open().call('credit-binding-read', {})
  expect(body.binding).toBeNull()
  expect(body.operations.map(({ id }) => id)).toEqual([
    'credit-binding-read',
    'credit-binding-create',
  ])
  expect(body.live).toMatchObject({ open: expect.any(Number) })
  const read = (by: Pick<Agent, 'call'>, query: InputOf<'credit-binding-read'>) =>
    codeOf(by.call('credit-binding-read', query))
  expect(await read(apis.open(), { entitlement_id })).toBe('credential_required')
  expect(await read(stranger, { entitlement_id })).toBe('not_owner')
  expect(await read(agent, { binding_id: `bd_${'0'.repeat(64)}` })).toBe('not_found')
  expect(await read(agent, { binding_id: `bd_${'0'.repeat(64)}`, entitlement_id })).toBe(
    'invalid_request',
  )
})

verifies(
  'money.spending-limit',
  'an agent’s limit holds for each method, and not for its customer',
  async () => {
    const agent = await buyer()
    const { quote, challenge_id } = await pendingCredit(agent)
    const { quote_id, total_usd } = quote
    const limitTo = (max_usd: number) =>
      apis.console.call('agent-limits-set', {
        agent_id: agent.agentId,
        limits: { max_usd },
        reason: 'the customer asked for it',
        idempotency_key: key(),
      })
    const presented = () => ({ external_reference: `INV-${key()}`, idempotency_key: key() })
    const ways = [
      () =>
        agent.call('payment-reference-create', {
          quote_id,
          method: 'invoice_reference',
          ...presented(),
        }),
      () =>
        agent.call('payment-reference-create', {
          challenge_id,
          method: 'payment_reference',
          ...presented(),
        }),
      () => {
        const asked = {
          authority_type: 'checkout',
          quote_id,
          provider_session_id: `cs_${key()}`,
        } as const
        return agent.call('payment-authority-check', { ...asked, idempotency_key: key() })
      },
    ]
    await limitTo(total_usd - 1)
    for (const pay of ways) expect(await codeOf(pay())).toBe('control_denied')
    await apis.notify(providerEvent('payment.settled', `cs_${key()}`, total_usd, { challenge_id }))
    for (const pay of ways) expect(await codeOf(pay())).toBe('already_funded')

    const exact = await quoted(agent)
    await limitTo(exact.total_usd)
    const paid = { quote_id: exact.quote_id, method: 'invoice_reference' as const, ...presented() }
    expect((await agent.call('payment-reference-create', paid)).body.payment_reference.state).toBe(
      'pending',
    )
  },
)
