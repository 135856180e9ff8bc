import { afterAll, beforeAll, expect } from 'vitest'
import { auditBooks } from '../../../support/books.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis()
})
afterAll(() => apis?.stop())

let units = 1
async function invoiced(used: number) {
  const agent = await apis.agent(['runs:read', 'runs:write'])
  const asked = {
    rail: 'packetops' as const,
    tier: 'standard' as const,
    units: ++units,
    idempotency_key: key(),
  }
  const { quote_id, total_usd } = (await agent.call('agent-quote', asked)).body.quote
  const paid = {
    quote_id,
    method: 'invoice_reference' as const,
    external_reference: `INV-${key()}`,
  }
  const { payment_reference } = (
    await agent.call('payment-reference-create', { ...paid, idempotency_key: key() })
  ).body
  const { payment_reference_id, entitlement_id } = payment_reference
  expect(await codeOf(apis.decide(payment_reference_id, 'revise'))).toBe('wrong_state')
  await apis.decide(payment_reference_id, 'approve')
  const use = {
    kind: 'run_usage' as const,
    units: used,
    unit: 'usd_credit',
    entitlement_id: entitlement_id ?? '',
  }
  if (used > 0) await agent.call('usage-ledger-record', { ...use, idempotency_key: key() })
  return { agent, payment_reference_id, entitlement_id: entitlement_id ?? '', total_usd }
}

verifies(
  'money.http.refund',
  'a mistaken confirmation is reverted with the remaining credit',
  async () => {
    for (const used of [0, 20]) {
      const { agent, payment_reference_id, entitlement_id, total_usd } = await invoiced(used)
      const before = await auditBooks(apis.db)
      expect(before.get(`credit:${entitlement_id}`)).toBe(total_usd - used)
      const console_ = { kind: 'payment_reference' as const, state: 'verified', limit: '100' }
      const [standing] = (await apis.console.call('loop-review-console', console_)).body.items
      expect(standing).toMatchObject({
        subject_id: payment_reference_id,
        allowed_decisions: ['revise'],
      })
      expect(await codeOf(apis.decide(payment_reference_id, 'reject'))).toBe('wrong_state')
      const { subject, receipt } = await apis.decide(payment_reference_id, 'revise')
      expect(subject).toMatchObject({ state: 'refunded' })
      expect(receipt).toMatchObject({
        kind: 'review_decision',
        payload: { decision: 'revise', state: 'refunded' },
      })
      const after = await auditBooks(apis.db)
      expect(after.get(`credit:${entitlement_id}`)).toBe(0)
      const earned = (books: Map<string, number>) =>
        (books.get('revenue:packetops') ?? 0) + (books.get('fees') ?? 0)
      expect(earned(before) - earned(after)).toBe(used)
      expect(after.get('clearing:invoice_reference')).toBe(0)
      const credit = (await agent.call('agent-credit-read', { entitlement_id })).body
      expect(credit).toMatchObject({
        balance_units: 0,
        entitlement: { state: 'returned', consumed_units: used },
      })
      expect(await codeOf(apis.decide(payment_reference_id, 'revise'))).toBe('already_decided')
      const more = {
        kind: 'run_usage' as const,
        units: 1,
        unit: 'usd_credit',
        entitlement_id,
        idempotency_key: key(),
      }
      expect(await codeOf(agent.call('usage-ledger-record', more))).toBe('credit_exhausted')
    }
  },
)
