import { walletBindingText } from '#domain/accounts/controls.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { newWallet } from '../../../support/chain.ts'
import { providerEvent } from '../../../support/money-over-http.ts'
import { agent, type Kept, memberOf, open, operator, type Rows, receipt } from './row.ts'
import type { World } from './world.ts'

const quoteKept: Kept = { in: 'agent-quote-read', as: open, id: 'quote_id' }
const challengeKept: Kept = { in: 'rail-checkout-read', as: agent, id: 'challenge_id' }
const referenceKept: Kept = { in: 'payment-rail-read', as: agent, id: 'payment_reference_id' }
const invoice = (amount_usd?: number) => ({
  method: 'invoice_reference' as const,
  external_reference: `INV-${freshKey()}`,
  ...(amount_usd === undefined ? {} : { amount_usd }),
  idempotency_key: freshKey(),
})

/** Credit of a quote that is not paid, and its challenge, which is open again. */
async function pending(world: World, rail: 'packetops' | 'tokenops' = 'packetops') {
  const { quote_id, total_usd } = await world.quote(rail)
  const { challenge } = (await world.open.call('rail-checkout-open', checkout(quote_id))).body
  const { payment_reference_id, entitlement_id } = await world.present(quote_id)
  await world.review('payment_reference', payment_reference_id, 'reject')
  const { challenge_id } = challenge
  return { quote_id, total_usd, challenge_id, entitlement_id: String(entitlement_id) }
}
/** An invoice for credit that is not paid. */
const unfunded = async (world: World, rail: 'packetops' | 'tokenops') => {
  const { entitlement_id, total_usd } = await pending(world, rail)
  return { entitlement_id, ...invoice(total_usd) }
}
const checkout = (quote_id: string) => ({
  quote_id,
  payment_path: 'invoice_or_purchase_order' as const,
  customer: { name: 'Northwind GmbH', email: 'accounts@northwind.example' },
  idempotency_key: freshKey(),
})
const check = (quote_id: string, wallet_id: string) => ({
  authority_type: 'agent_allowance_reference' as const,
  quote_id,
  wallet_id,
  idempotency_key: freshKey(),
})
const tooMuch = {
  rail: 'packetops' as const,
  tier: 'pro' as const,
  units: 900,
  idempotency_key: freshKey(),
}
/** The reference of a quote that a wallet pays. */
async function authorized({ agent: { client }, quote, wallet }: World): Promise<string> {
  const asked = check((await quote()).quote_id, await wallet(20_000))
  const { body } = await client.call('payment-authority-check', asked)
  return body.payment_reference?.payment_reference_id ?? ''
}
const link = (url: string | null) => ({
  rail: 'packetops' as const,
  tier: 'entry' as const,
  url,
  provider_price_usd: 49,
  idempotency_key: freshKey(),
})
/** A page that cannot be reached. */
const noPage = 'https://pay.northwind.invalid/packetops'
const fund = (wallet_id: string, amount_usd: number) => ({
  mode: 'fund_allowance' as const,
  wallet_id,
  amount_usd,
  ...invoice(),
})
const limit = (wallet_id: string, per_run_usd: number) => ({
  mode: 'set_limits' as const,
  wallet_id,
  limits: { per_run_usd },
  idempotency_key: freshKey(),
})
const tier = (wallet_id: string, to: 'free' | 'premium') => ({
  mode: 'set_tier' as const,
  wallet_id,
  tier: to,
  idempotency_key: freshKey(),
})
/** What posts the fee of a month. */
const accrual = async ({ wallet }: World) => ({
  items: [{ fee_item: 'enterprise_controls' as const }],
  accrue: true,
  wallet_id: await wallet(600),
  idempotency_key: freshKey(),
})
const accrue = async (world: World) =>
  world.agent.client.call('commercial-fees-assess', await accrual(world))
const controls = (per_day_usd_max: number) => ({
  controls: { per_day_usd_max },
  accept_fee: true,
  reason: 'the budget of the quarter',
  idempotency_key: freshKey(),
})
/** The wish of the agent's account to bind a wallet, signed by the wallet. */
async function bindingOf({ apis, agent: { registered } }: World) {
  const { account, address: wallet } = newWallet()
  const { account_id: accountId } = registered.agent
  const message = walletBindingText({ origin: apis.config.BASE_URL, accountId, wallet })
  const signature = await account.signMessage({ message })
  return { mode: 'bind_wallet' as const, wallet, signature, idempotency_key: freshKey() }
}
const usage = (unit: string) => ({
  kind: 'tool_call' as const,
  rail: 'packetops' as const,
  units: 1,
  unit,
  idempotency_key: freshKey(),
})
const settlements = new WeakMap<World, ReturnType<typeof settlement>>()
/** A payment in a session of the provider, and the event that settles it. */
async function settlement({ agent: { client }, quote }: World) {
  const { quote_id, total_usd } = await quote()
  const external_reference = `cs_${freshKey()}`
  const paid = { quote_id, method: 'hosted_checkout', external_reference } as const
  const { body } = await client.call('payment-reference-create', {
    ...paid,
    idempotency_key: freshKey(),
  })
  const { payment_reference_id, challenge_id } = body.payment_reference
  const named = { challenge_id }
  const event = providerEvent('payment.settled', external_reference, total_usd, named)
  return { payment_reference_id, event }
}

async function notified(world: World) {
  const settled = settlements.get(world) ?? settlement(world)
  settlements.set(world, settled)
  const { event, payment_reference_id } = await settled
  return { ...(await world.notify(event)).body, payment_reference_id }
}

/** Prices, quotes, payments, credit, wallets, fees and the controls of accounts. */
export const moneyRows: Rows = {
  'agent-pricing': { as: open, ask: { rail: 'packetops' }, other: { rail: 'tokenops' } },
  'agent-pricing-quote': {
    as: open,
    ask: { rail: 'packetops', tier: 'standard' },
    other: { rail: 'packetops', tier: 'pro' },
    kept: quoteKept,
  },
  'agent-quote': {
    as: agent,
    ask: { rail: 'packetops', tier: 'standard', units: 1, idempotency_key: freshKey() },
    other: { rail: 'packetops', tier: 'standard', units: 700, idempotency_key: freshKey() },
    kept: quoteKept,
  },
  'agent-quote-read': {
    as: open,
    ask: async ({ quote }) => ({ quote_id: (await quote('packetops')).quote_id }),
    other: async ({ quote }) => ({ quote_id: (await quote('energyops')).quote_id }),
  },
  'quote-run': {
    as: open,
    ask: { mode: 'quote_run', rail: 'packetops', tier: 'standard' },
    other: { mode: 'quote_run', rail: 'diligenceops', tier: 'standard' },
    kept: quoteKept,
  },
  'create-payment-challenge': {
    as: agent,
    ask: async ({ quote }) => ({
      mode: 'create_payment_challenge',
      quote_id: (await quote()).quote_id,
      idempotency_key: freshKey(),
    }),
    kept: challengeKept,
  },
  'rail-checkout-read': {
    as: open,
    ask: { rail: 'diligenceops', tier: 'standard' },
    other: { rail: 'packetops', tier: 'standard' },
  },
  'rail-checkout-open': {
    as: open,
    ask: async ({ quote }) => checkout((await quote('packetops')).quote_id),
    other: async ({ quote }) => checkout((await quote('tokenops')).quote_id),
    kept: challengeKept,
  },
  'payment-rail-read': {
    as: agent,
    ask: async ({ quote, present }) => ({
      payment_reference_id: (await present((await quote()).quote_id)).payment_reference_id,
    }),
    other: async ({ paid }) => ({ payment_reference_id: (await paid()).payment_reference_id }),
  },
  'payment-reference-create': {
    as: agent,
    ask: async ({ quote }) => ({ quote_id: (await quote()).quote_id, ...invoice() }),
    kept: referenceKept,
  },
  'payment-authority-read': {
    as: agent,
    ask: {},
    other: async (world) => ({ payment_reference_id: await authorized(world) }),
  },
  'payment-authority-check': {
    as: agent,
    ask: async ({ agent: { client }, wallet }) => {
      const { quote } = (await client.call('agent-quote', tooMuch)).body
      return check(quote.quote_id, await wallet())
    },
    other: async ({ quote, wallet }) => check((await quote()).quote_id, await wallet(20_000)),
    kept: { ...referenceKept, in: 'payment-authority-read' },
  },
  'payment-links-read': {
    as: operator,
    ask: { rail: 'packetops' },
    change: ({ operator: by }) => by.call('payment-links-set', link(noPage)),
  },
  'payment-links-set': {
    as: operator,
    ask: () => link(null),
    other: () => link(noPage),
    kept: receipt,
  },
  'diligence-product-links': { as: open, ask: { tier: 'entry' }, other: { tier: 'pro' } },
  'agent-credit-read': {
    as: agent,
    ask: async (world) => ({ entitlement_id: (await pending(world)).entitlement_id }),
    other: async ({ paid }) => ({ entitlement_id: (await paid()).entitlement_id }),
  },
  'agent-credit-fund': {
    as: agent,
    ask: (world) => unfunded(world, 'packetops'),
    other: (world) => unfunded(world, 'tokenops'),
    kept: referenceKept,
  },
  'credit-binding-read': {
    as: agent,
    ask: {},
    other: async (world) => ({ entitlement_id: (await pending(world)).entitlement_id }),
  },
  'credit-binding-create': {
    as: agent,
    ask: async (world) => {
      const { entitlement_id, challenge_id } = await pending(world)
      return { entitlement_id, challenge_id, idempotency_key: freshKey() }
    },
    kept: { in: 'credit-binding-read', as: agent, id: 'binding_id' },
  },
  'allowance-wallet-read': {
    as: agent,
    ask: async ({ wallet }) => ({ wallet_id: await wallet() }),
    change: ({ wallet }) => wallet(500),
  },
  'allowance-wallet-create': {
    as: async ({ newAgent }) => (await newAgent()).client,
    ask: () => ({ label: 'runs', limits: {}, idempotency_key: freshKey() }),
    other: () => ({ label: 'runs', limits: { per_run_usd: 150 }, idempotency_key: freshKey() }),
    kept: receipt,
  },
  'allowance-fund': {
    as: agent,
    ask: async ({ wallet }) => fund(await wallet(), 500),
    change: ({ wallet }) => wallet(300),
    other: async ({ wallet }) => fund(await wallet(), 700),
    kept: referenceKept,
  },
  'allowance-limits': {
    as: agent,
    ask: async ({ wallet }) => limit(await wallet(), 900_000),
    other: async ({ wallet }) => limit(await wallet(), 800_000),
    kept: receipt,
  },
  'allowance-tier': {
    as: agent,
    ask: async ({ wallet }) => tier(await wallet(100), 'premium'),
    other: async ({ wallet }) => tier(await wallet(), 'free'),
    kept: receipt,
  },
  'commercial-layer-read': {
    as: agent,
    ask: async ({ wallet }) => ({ wallet_id: await wallet(600) }),
    change: accrue,
  },
  'commercial-fees-assess': {
    as: agent,
    ask: { items: [{ fee_item: 'enterprise_controls' }] },
    other: accrual,
    kept: receipt,
  },
  'enterprise-controls-read': {
    as: agent,
    ask: {},
    change: (world) => world.agent.client.call('enterprise-controls-set', controls(990_000)),
  },
  'enterprise-controls-set': {
    as: agent,
    ask: () => controls(980_000),
    other: () => controls(970_000),
    kept: receipt,
  },
  'enterprise-wallet-bind': {
    as: agent,
    ask: (world) => bindingOf(world),
    other: (world) => bindingOf(world),
    kept: receipt,
  },
  'usage-ledger-read': {
    as: agent,
    ask: { limit: '100' },
    change: (world) => world.agent.client.call('usage-ledger-record', usage('pages')),
  },
  'usage-ledger-record': {
    as: agent,
    ask: () => usage('pages'),
    other: async ({ paid }) => ({
      ...usage('usd_credit'),
      entitlement_id: (await paid()).entitlement_id,
    }),
    kept: { in: 'usage-ledger-read', as: agent, id: 'event_id' },
  },
  // The second time it is a repeat, which changes nothing.
  'provider-event-receive': {
    calls: [notified, notified],
    repeated: { duplicate: true },
    kept: {
      in: 'callback-completion-read',
      as: agent,
      id: 'event_id',
      by: (_id, answer) => ({ payment_reference_id: memberOf(answer, 'payment_reference_id') }),
    },
  },
  'callback-completion-read': {
    as: agent,
    ask: async ({ quote, present }) => ({
      payment_reference_id: (await present((await quote()).quote_id)).payment_reference_id,
    }),
    other: async ({ paid }) => ({ payment_reference_id: (await paid()).payment_reference_id }),
  },
}
