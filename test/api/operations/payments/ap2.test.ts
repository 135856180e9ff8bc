import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { closeMandate } from '../../../support/ap2.ts'
import {
  ap2Challenge,
  ap2Payment,
  ap2Signer,
  ap2Terms,
  askAp2,
  type IssuedAp2,
  issueAp2,
} from '../../../support/ap2-over-http.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis()
})
afterAll(() => apis?.stop())

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

const issue = (agentId: string) => issueAp2(apis.console, ap2Terms(agentId))
const present = async (agent: Agent, issued: IssuedAp2, instrument: { id: string; type: string }) =>
  agent.call('payment-reference-create', await ap2Payment(agent, issued, instrument))

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

verifies(
  ['ap2.issue', 'pipeline.forbidden-material'],
  'a secret in any term of AP2 is refused, and nothing is signed',
  async () => {
    const terms = ap2Terms((await owner()).agentId)
    const secret = `sk_live_${'a'.repeat(24)}`
    const shop = { id: 'shop', name: 'Shop' }
    const card = { id: 'card_1', type: 'card' }
    const item = { id: 'credit', title: secret }
    const need = { id: 'credit', acceptable_items: [item], quantity: 1 }
    const only = { type: 'payment.allowed_payees', allowed: [{ ...shop, website: secret }] }
    const cases: [object, string][] = [
      [{ payment: { ...terms.payment, payee: { ...shop, name: secret } } }, '/payment/payee/name'],
      [
        { payment: { ...terms.payment, payee: { ...shop, note: [secret] } } },
        '/payment/payee/note/0',
      ],
      [
        { payment: { ...terms.payment, payment_instrument: { ...card, description: secret } } },
        '/payment/payment_instrument/description',
      ],
      [{ payment: { constraints: [only] } }, '/payment/constraints/0/allowed/0/website'],
      [
        { checkout: { constraints: [{ type: 'checkout.line_items', items: [need] }] } },
        '/checkout/constraints/0/items/0/acceptable_items/0/title',
      ],
    ]
    const issued = apis.db.selectFrom('ap2_mandates').select('mandate_id')
    const before = (await issued.execute()).length
    for (const [change, pointer] of cases) {
      const problem = await problemOf(askAp2(apis.console, { ...terms, ...change }))
      expect(problem).toMatchObject({
        status: 422,
        code: 'forbidden_material',
        errors: [{ pointer: `/action/ap2${pointer}` }],
      })
      expect(JSON.stringify(problem)).not.toContain(secret)
    }
    expect(await issued.execute()).toHaveLength(before)
  },
)

verifies(
  ['ap2.present', 'pipeline.encoded-material'],
  'a secret in a claim or disclosure is refused and not stored',
  async () => {
    const agent = await owner()
    const issued = await issue(agent.agentId)
    const body = await ap2Payment(agent, issued, { id: 'card_1', type: 'card' })
    const secret = `sk_live_${'Zq7Xw9Kp2'.repeat(3)}`
    const closing = { key: ap2Signer.privateKey, aud: 'x', nonce: 'y', iat: 1 }
    const closed = (mandate: object, payload: object = {}) =>
      closeMandate(issued.open_payment_mandate, mandate, { ...closing, payload })
    const chains = [
      closed({ payee: { id: 'shop', name: secret } }),
      closed({ items: [{ id: 'credit', title: [secret] }] }),
      closed({ payment_instrument: { id: secret, type: 'card' } }),
      closed({}, { nonce: secret }),
      closed({ checkout_jwt: closed({ note: secret }) }),
    ]
    const wallet = { label: 'runs', limits: {}, idempotency_key: key() }
    const { wallet_id } = (await agent.call('allowance-wallet-create', wallet)).body.wallet
    const refusals: unknown[] = []
    const { method, external_reference } = body
    for (const presentation of chains) {
      const evidence = { ...body.evidence, presentation }
      const again = { external_reference, evidence, idempotency_key: key() }
      const funding = { wallet_id, amount_usd: 49, method, ...again }
      const action = { ap2: { payment: presentation } }
      const calls = [
        agent.call('payment-reference-create', { ...body, ...again }),
        agent.call('allowance-fund', { mode: 'fund_allowance', ...funding }),
        apis.console.call('inspect-mandate', { mode: 'inspect_mandate', action }),
      ]
      refusals.push(...(await Promise.all(calls.map((call) => problemOf(call)))))
    }
    const of = (pointer: string) => ({ status: 422, errors: [{ pointer }] })
    const presented = of('/evidence/presentation')
    expect(refusals).toMatchObject(
      chains.flatMap(() => [presented, presented, of('/action/ap2/payment')]),
    )
    expect(JSON.stringify(refusals)).not.toContain(secret)
    const stored = await apis.db
      .selectFrom('payment_references')
      .select('external_reference')
      .where('challenge_id', '=', body.challenge_id ?? '')
      .execute()
    expect(stored).toEqual([])
    // The same challenge is still paid without the secret.
    expect(
      (await agent.call('payment-reference-create', body)).body.payment_reference,
    ).toMatchObject({ state: 'pending' })
  },
)

verifies('ap2.foreign-input', 'no presentation of a stranger is answered with 500', async () => {
  const agent = await owner()
  const issued = await issue(agent.agentId)
  const challenge = await ap2Challenge(agent)
  const part = fc.oneof(
    fc.constantFrom(...issued.open_payment_mandate.split(/[~.]/)),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
  )
  const joined = fc
    .array(fc.tuple(part, fc.constantFrom('.', '~', '~~')), { maxLength: 12 })
    .map((parts) => `${parts.flat().join('')}~`)
  const closed = fc.dictionary(fc.string(), fc.jsonValue()).map((mandate) =>
    closeMandate(issued.open_payment_mandate, mandate, {
      key: ap2Signer.privateKey,
      aud: challenge.mandate['audience'] ?? '',
      nonce: challenge.mandate['nonce'] ?? '',
      iat: Math.floor(Date.now() / 1000),
    }),
  )
  const text = fc.oneof(
    joined,
    closed,
    fc.string({ unit: 'binary' }),
    fc.constant(issued.open_checkout_mandate),
  )
  const evidence = fc.oneof(
    fc.record({ presentation: text, checkout_presentation: text }, { requiredKeys: [] }),
    fc.record({ presentation: fc.jsonValue(), checkout_presentation: fc.jsonValue() }),
  )
  await fc.assert(
    fc.asyncProperty(evidence, async (given) => {
      const response = await fetch(`${apis.hosts[0]?.base}/api/agent-payment-rail`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${agent.credential}`,
        },
        body: JSON.stringify({
          challenge_id: challenge.challenge_id,
          method: 'ap2_mandate_reference',
          external_reference: 'ap2',
          proof: { challenge_token: challenge.mandate['challenge_token'] ?? '' },
          evidence: given,
          idempotency_key: key(),
        }),
      })
      const answer = (await response.json()) as { code?: string }
      expect([400, 403, 422], JSON.stringify(answer)).toContain(response.status)
    }),
    { numRuns: 150 },
  )
})
