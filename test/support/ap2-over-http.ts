import type { Client, InputOf } from '../../api/http/client.ts'
import { freshKey, problemOf } from './agent-use.ts'
import { agentKeys, closeMandate } from './ap2.ts'

/** The key of the agents to which `issueAp2` has mandates issued. */
export const ap2Signer = agentKeys()
const method = 'ap2_mandate_reference' as const

/** The terms of open mandates under which an agent may pay for credit, 100 usd unless given. */
export function ap2Terms(agentId: string, budget = 100) {
  const items = [{ id: 'rail.credit', title: 'Credit for rail runs' }]
  const need = { id: 'credit', acceptable_items: items, quantity: 1 }
  return {
    agent_id: agentId,
    agent_key: ap2Signer.jwk,
    checkout: { constraints: [{ type: 'checkout.line_items' as const, items: [need] }] },
    payment: {
      constraints: [
        { type: 'payment.agent_recurrence' as const, frequency: 'ON_DEMAND' as const },
        { type: 'payment.amount_range' as const, currency: 'USD', max: 5000 },
        { type: 'payment.budget' as const, max: budget, currency: 'USD' },
      ],
    },
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
}
type Terms = ReturnType<typeof ap2Terms> & { payment: object }

/** An operator asks for open mandates under these terms. */
export function askAp2(operator: Client, ap2: Terms) {
  const action = { ap2, idempotency_key: freshKey() }
  return operator.call('issue-mandate', { mode: 'issue_mandate', action })
}

export type IssuedAp2 = { mandate_id: string } & Record<
  'open_payment_mandate' | 'open_checkout_mandate',
  string
>
export async function issueAp2(operator: Client, ap2: Terms): Promise<IssuedAp2> {
  const { body } = await askAp2(operator, ap2)
  if (!('open_payment_mandate' in body)) throw new Error('mandates of AP2 were expected')
  return body as IssuedAp2
}

type Challenge = { challenge_id: string; amount_usd: number; mandate: Record<string, string> }
/** The challenge of a new quote of 49 usd. */
export async function ap2Challenge(agent: Client): Promise<Challenge> {
  const asked = { rail: 'packetops' as const, tier: 'entry' as const, units: 1 }
  const { quote } = (await agent.call('agent-quote', { ...asked, idempotency_key: freshKey() }))
    .body
  const problem = await problemOf(
    agent.call('create-payment-challenge', {
      mode: 'create_payment_challenge',
      quote_id: quote.quote_id,
      method,
      idempotency_key: freshKey(),
    }),
  )
  return problem['challenge'] as Challenge
}

/** The presentation of both mandates, closed for a challenge of its own. */
export async function ap2Payment(
  agent: Client,
  issued: IssuedAp2,
  payment_instrument: { id: string; type: string },
): Promise<InputOf<'payment-reference-create'>> {
  const { challenge_id, amount_usd, mandate } = await ap2Challenge(agent)
  const ask: Record<string, string> = mandate
  const { checkout_jwt = '', checkout_hash = '', nonce = '', audience = '' } = ask
  const iat = Math.floor(Date.now() / 1000)
  const closing = { key: ap2Signer.privateKey, aud: audience, nonce, iat }
  const checkout = { vct: 'mandate.checkout.1', checkout_jwt, checkout_hash }
  const { merchant } = JSON.parse(
    Buffer.from(checkout_jwt.split('.')[1] ?? '', 'base64url').toString(),
  ) as { merchant: object }
  const payment = {
    vct: 'mandate.payment.1',
    transaction_id: checkout_hash,
    payee: merchant,
    payment_amount: { amount: amount_usd * 100, currency: 'USD' },
    payment_instrument,
  }
  return {
    challenge_id,
    method,
    external_reference: 'ap2',
    proof: { challenge_token: ask['challenge_token'] ?? '' },
    evidence: {
      presentation: closeMandate(issued.open_payment_mandate, payment, closing),
      checkout_presentation: closeMandate(issued.open_checkout_mandate, checkout, closing),
    },
    idempotency_key: freshKey(),
  }
}
