import { afterAll, beforeAll, expect } from 'vitest'
import { agentKeys, closeMandate } from '../../../support/ap2.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis()
})
afterAll(() => apis?.stop())

const signer = agentKeys()
const method = 'ap2_mandate_reference' as const
const owner = () => apis.agent(['runs:read', 'runs:write', 'wallets:read', 'wallets:write'])
type Agent = Awaited<ReturnType<typeof owner>>

async function filledWallet(agent: Agent, amount_usd: number) {
  const asked = { label: 'runs', limits: {}, idempotency_key: key() }
  const { wallet_id } = (await agent.call('allowance-wallet-create', asked)).body.wallet
  const invoice = { method: 'invoice_reference' as const, external_reference: `INV-${key()}` }
  const funding = { mode: 'fund_allowance' as const, wallet_id, amount_usd, ...invoice }
  const { body } = await agent.call('allowance-fund', { ...funding, idempotency_key: key() })
  await apis.decide(body.payment_reference.payment_reference_id, 'approve')
  return wallet_id
}

async function issue(agentId: string) {
  const items = [{ id: 'rail.credit', title: 'Credit for rail runs' }]
  const need = { id: 'credit', acceptable_items: items, quantity: 1 }
  const ap2 = {
    agent_id: agentId,
    agent_key: signer.jwk,
    checkout: { constraints: [{ type: 'checkout.line_items' as const, items: [need] }] },
    payment: {
      constraints: [
        { type: 'payment.agent_recurrence' as const, frequency: 'ON_DEMAND' as const },
        { type: 'payment.amount_range' as const, currency: 'USD', max: 5000 },
        { type: 'payment.budget' as const, max: 100, currency: 'USD' },
      ],
    },
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const action = { ap2, idempotency_key: key() }
  const { body } = await apis.console.call('issue-mandate', { mode: 'issue_mandate', action })
  if (!('open_payment_mandate' in body)) throw new Error('mandates of AP2 were expected')
  return body as { mandate_id: string } & Record<
    'open_payment_mandate' | 'open_checkout_mandate',
    string
  >
}

type Challenge = { challenge_id: string; amount_usd: number; mandate: Record<string, string> }
/** Presents both mandates, closed for the challenge of a new quote. */
async function present(
  agent: Agent,
  issued: Awaited<ReturnType<typeof issue>>,
  instrument: { id: string; type: string },
) {
  const asked = { rail: 'packetops' as const, tier: 'entry' as const, units: 1 }
  const { quote } = (await agent.call('agent-quote', { ...asked, idempotency_key: key() })).body
  const problem = await problemOf(
    agent.call('create-payment-challenge', {
      mode: 'create_payment_challenge',
      quote_id: quote.quote_id,
      method,
      idempotency_key: key(),
    }),
  )
  const { challenge_id, amount_usd, mandate } = problem['challenge'] as Challenge
  const ask: Record<string, string> = mandate
  const { checkout_jwt = '', checkout_hash = '', nonce = '', audience = '' } = ask
  const closing = {
    key: signer.privateKey,
    aud: audience,
    nonce,
    iat: Math.floor(Date.now() / 1000),
  }
  const checkout = { vct: 'mandate.checkout.1', checkout_jwt, checkout_hash }
  const { merchant } = JSON.parse(
    Buffer.from(checkout_jwt.split('.')[1] ?? '', 'base64url').toString(),
  ) as { merchant: object }
  const payment = {
    vct: 'mandate.payment.1',
    transaction_id: checkout_hash,
    payee: merchant,
    payment_amount: { amount: amount_usd * 100, currency: 'USD' },
    payment_instrument: instrument,
  }
  return agent.call('payment-reference-create', {
    challenge_id,
    method,
    external_reference: 'ap2',
    proof: { challenge_token: ask['challenge_token'] ?? '' },
    evidence: {
      presentation: closeMandate(issued.open_payment_mandate, payment, closing),
      checkout_presentation: closeMandate(issued.open_checkout_mandate, checkout, closing),
    },
    idempotency_key: key(),
  })
}

verifies(
  ['ap2.issue', 'ap2.present', 'ap2.revoke'],
  'over HTTP a mandate is issued, pays by wallet and is revoked',
  async () => {
    const agent = await owner()
    const wallet = { id: await filledWallet(agent, 200), type: 'allowance_wallet' }
    const issued = await issue(agent.agentId)
    const paid = (await present(agent, issued, wallet)).body
    expect(paid.payment_reference).toMatchObject({ state: 'verified', decided_by: 'wallet' })
    expect(paid.verification).not.toHaveProperty('settles')
    const open = (await present(agent, issued, { id: 'card_1', type: 'card' })).body
    expect(open.payment_reference.state).toBe('pending')
    expect(open.verification).toMatchObject({ settles: 'nothing' })
    expect(await codeOf(present(agent, issued, wallet))).toBe('authority_denied')
    const other = await issue(agent.agentId)
    const action = { mandate_id: other.mandate_id, reason: 'done' }
    const revoking = { mode: 'revoke_mandate' as const, action }
    const { body } = await apis.console.call('revoke-mandate', revoking)
    expect(body).toMatchObject({ state: 'revoked', revoked_grants: 0 })
    expect((await apis.console.call('revoke-mandate', revoking)).body).toEqual(body)
    expect(await codeOf(present(agent, other, wallet))).toBe('authority_denied')
  },
)
