import { createWallet } from '../../../activities/credit/allowance.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { mandateChallenge } from '../../../activities/credit/presenting.ts'
import { clockSeconds, transaction } from '../../../activities/store/postgres/db.ts'
import { issueAp2 } from '../../../api/services/authority/ap2.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { agentKeys, closeMandate } from '../../support/ap2.ts'
import { keys, origin } from '../keys/treasury.ts'
import { hex, present, quoted, topUp } from './fixture.ts'

const key = agentKeys()
export const operator = { operatorId: `op_${'1'.repeat(64)}`, name: 'operator:ada' }
export const inUsd = (usd: number) => ({ amount: usd * 100, currency: 'USD' })
export const recurring = (budgetUsd: number) => [
  { type: 'payment.agent_recurrence' as const, frequency: 'ON_DEMAND' as const },
  { type: 'payment.amount_range' as const, currency: 'USD', max: 100_000 },
  { type: 'payment.budget' as const, max: budgetUsd, currency: 'USD' },
]

/** An agent with a funded wallet, and open mandates that an operator issued for it. */
export async function mandated(
  deps: MoneyDeps,
  constraints: ReturnType<typeof recurring> | [] = recurring(490),
  holds = 500,
) {
  const { agent_id: agentId } = await registeredAgent(deps.db)
  const { wallet_id } = await transaction(deps.db, (tx) =>
    createWallet(tx, { agentId, label: 'work' }),
  )
  await topUp(deps, agentId, wallet_id, holds)
  const items = [{ id: 'rail.credit', title: 'Credit for rail runs' }]
  const asked = {
    idempotency_key: hex(8),
    ap2: {
      agent_id: agentId,
      agent_key: key.jwk,
      checkout: {
        constraints: [
          {
            type: 'checkout.line_items' as const,
            items: [{ id: 'credit', acceptable_items: items, quantity: 1 }],
          },
        ],
      },
      payment: { constraints },
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  }
  const issue = () => issueAp2({ ...deps, keys, origin }, operator, asked)
  return { agentId, wallet_id, asked, issue, ...(await issue()) }
}
export type Mandated = Awaited<ReturnType<typeof mandated>>

/** What the agent presents for a new quote; `more` changes its closed payment mandate. */
export async function presenting(deps: MoneyDeps, by: Mandated, more: object = {}) {
  const one = await quoted(deps, by.agentId, { tier: 'entry' })
  const { challenge_id, amount_usd } = one.challenge
  const ask = await mandateChallenge(deps, { id: challenge_id, amount_usd }, 900)
  const iat = Math.floor(await clockSeconds(deps.db))
  const closing = { key: key.privateKey, aud: ask.audience, nonce: ask.nonce, iat }
  const payment = {
    vct: 'mandate.payment.1',
    transaction_id: ask.checkout_hash,
    payee: { id: 'service-agent-rails', name: 'Service Agent Rails', website: origin },
    payment_amount: inUsd(amount_usd),
    payment_instrument: { id: by.wallet_id, type: 'allowance_wallet' },
    ...more,
  }
  const { checkout_jwt, checkout_hash } = ask
  const checkout = { vct: 'mandate.checkout.1', checkout_jwt, checkout_hash }
  const input = {
    method: 'ap2_mandate_reference' as const,
    externalReference: '',
    proof: { challenge_token: ask.challenge_token },
    evidence: {
      presentation: closeMandate(by.open_payment_mandate, payment, closing),
      checkout_presentation: closeMandate(by.open_checkout_mandate, checkout, closing),
    },
  }
  return { one, input, pay: () => present(deps, one, input) }
}
