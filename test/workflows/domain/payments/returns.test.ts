import { expect, test } from 'vitest'
import { readProviderEvent } from '#domain/payments/provider-event.ts'
import { checkReturns } from '#domain/payments/returned-money.ts'
import { checkoutSession, dispute, stripeEvent } from '../../../support/stripe-events.ts'
import { refusalOf } from '../refusal.ts'

type Said = Parameters<typeof checkReturns>[1][number]
let events = 0
const said = (type: Said['type'], cents: number, seconds: number | null): Said => ({
  event_id: `evt_${++events}`,
  type,
  refund_id: null,
  dispute_id: type.startsWith('dispute.') ? 'du_1' : null,
  amount_cents: String(cents),
  said_at: seconds === null ? null : new Date(seconds * 1000),
})
const stands = (...events: Said[]) => checkReturns(100, events)

test('a decision of a dispute outlasts later events that opened it', () => {
  const won = said('dispute.won', 100, 1)
  expect(stands(won, said('dispute.opened', 100, 2))).toBe('kept')
  expect(stands(won, said('dispute.inquiry', 100, 2))).toBe('kept')
  expect(stands(said('dispute.opened', 100, 1), said('dispute.inquiry', 100, 2))).toBe('disputed')
})

test('the latest decision counts, and one without a time is the oldest', () => {
  const lost = said('dispute.lost', 100, 1)
  expect(stands(said('dispute.won', 100, null), lost)).toBe('returned')
  expect(stands(lost, said('dispute.won', 100, 2))).toBe('kept')
})

test('a refund of the whole returns a payment of any amount', () => {
  expect(stands(said('payment.refunded', 50, 1))).toBe('returned')
  expect(stands(said('payment.partially_refunded', 99, 1))).toBe('partly_returned')
  expect(stands(said('payment.partially_refunded', 100, 1))).toBe('returned')
  expect(checkReturns(0, [])).toBe('kept')
})

test('a refund that failed returns nothing, and one that follows it does', () => {
  const refunded = said('payment.refunded', 100, 1)
  const failed = { ...said('refund.failed', 100, 2), refund_id: 're_1' }
  const repeated = { ...said('refund.failed', 100, 3), refund_id: 're_1' }
  expect(stands(failed, refunded)).toBe('kept')
  expect(stands(refunded, failed, repeated, said('payment.refunded', 100, 4))).toBe('returned')
  const partly = [
    said('payment.partially_refunded', 60, 1),
    said('payment.refunded', 100, 2),
    { ...failed, amount_cents: '40', said_at: new Date(3000) },
  ]
  expect(stands(...partly)).toBe('partly_returned')
  expect(stands(...partly, said('dispute.lost', 40, 4))).toBe('returned')
})

test('without a time, each failure takes one refund back', () => {
  const refund = () => said('payment.refunded', 100, null)
  const failure = () => said('refund.failed', 100, null)
  expect(stands(failure(), refund())).toBe('kept')
  expect(stands(refund(), failure(), refund())).toBe('returned')
  expect(stands(refund(), failure(), refund(), failure())).toBe('kept')
})

const read = (type: string, object: Record<string, unknown>) =>
  readProviderEvent('stripe', stripeEvent(type, object))

test('a session that needs no payment is settled, an unpaid one is not', () => {
  const session = (payment_status: string) => ({ ...checkoutSession({}), payment_status })
  const typeOf = (status: string) => read('checkout.session.completed', session(status))?.type
  expect(typeOf('paid')).toBe('payment.settled')
  expect(typeOf('no_payment_required')).toBe('payment.settled')
  expect(typeOf('unpaid')).toBeUndefined()
})

test('a dispute that was prevented or paid back is won', () => {
  expect(read('charge.dispute.closed', dispute('pi_1', 'prevented'))?.type).toBe('dispute.won')
  expect(read('charge.dispute.funds_reinstated', dispute('pi_1', 'under_review'))?.type).toBe(
    'dispute.won',
  )
})

const standard = {
  event_id: 'evt_1',
  type: 'payment.settled',
  provider_session_id: 'cs_1',
  amount_usd: 107,
  currency: 'usd',
}

test('a standard event is read with its amount in cents', () => {
  expect(readProviderEvent('standard', standard)).toEqual({
    event_id: 'evt_1',
    type: 'payment.settled',
    external_reference: 'cs_1',
    payment_intent: null,
    dispute_id: null,
    refund_id: null,
    challenge_id: null,
    wallet_id: null,
    amount_cents: 10_700,
    currency: 'usd',
    said_at: null,
  })
})

test('a standard event names exactly one reference', () => {
  const { provider_session_id: _, ...none } = standard
  for (const event of [none, { ...standard, external_reference: 'x' }])
    expect(refusalOf(() => readProviderEvent('standard', event)).code).toBe('invalid_request')
  const named = readProviderEvent('standard', { ...none, external_reference: 'x' })
  expect(named?.external_reference).toBe('x')
})

test('the refusal of an event points at its members', () => {
  const refused = refusalOf(() => readProviderEvent('standard', { ...standard, currency: 'USD' }))
  expect(refused).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '/currency', message: expect.stringMatching(/\S/) }],
  })
  const stripe = refusalOf(() =>
    readProviderEvent('stripe', { id: 'evt_1', type: 'charge.refunded', data: {} }),
  )
  expect(stripe.errors?.[0]?.pointer).toBe('/data/object')
})
