import fc from 'fast-check'
import { expect } from 'vitest'
import { readProviderEvent } from '#domain/payments/provider-event.ts'
import { checkReturns } from '#domain/payments/returned-money.ts'
import {
  charge,
  checkoutSession,
  dispute,
  paymentIntent,
  refund,
  stripeEvent,
} from '../../../support/stripe-events.ts'
import { verifies } from '../../../verifies.ts'

const read = (type: string, object: Record<string, unknown>) =>
  readProviderEvent('stripe', stripeEvent(type, object))

verifies(
  'returns.stripe',
  'a session and the refunds of its charge name one payment intent',
  () => {
    const payment_intent = paymentIntent()
    const session = checkoutSession({ payment_intent })
    expect(read('checkout.session.completed', session)).toMatchObject({
      type: 'payment.settled',
      external_reference: session.id,
      payment_intent,
      amount_cents: 10_700,
      said_at: 1_763_890_000,
    })
    const about = {
      external_reference: payment_intent,
      payment_intent,
      dispute_id: null,
      currency: 'usd',
    }
    expect(read('charge.refunded', charge(payment_intent, 10_700))).toMatchObject({
      ...about,
      type: 'payment.refunded',
    })
    expect(read('charge.refunded', charge(payment_intent, 700))).toMatchObject({
      ...about,
      type: 'payment.partially_refunded',
      amount_cents: 700,
    })
    const spelledOut = {
      ...charge(null, 10_700),
      payment_intent: { id: payment_intent, object: 'payment_intent' },
    }
    expect(read('charge.refunded', spelledOut)).toMatchObject(about)
    const bare = charge(null, 10_700)
    expect(read('charge.refunded', bare)).toMatchObject({
      external_reference: bare.id,
      payment_intent: null,
    })
    expect(read('charge.succeeded', charge(payment_intent, 0))).toBeUndefined()
  },
)

verifies(
  'returns.stripe',
  'a refund that failed or was canceled is read in each of its events',
  () => {
    const failed = refund('pi_1', 'failed')
    const about = { external_reference: 'pi_1', payment_intent: 'pi_1', amount_cents: 10_700 }
    for (const type of ['refund.failed', 'refund.updated', 'charge.refund.updated']) {
      for (const status of ['failed', 'canceled'])
        expect(read(type, { ...failed, status })).toMatchObject({
          ...about,
          type: 'refund.failed',
          refund_id: failed.id,
        })
      for (const status of ['pending', 'requires_action', 'succeeded'])
        expect(read(type, { ...failed, status })).toBeUndefined()
    }
  },
)

verifies('returns.stripe', 'a dispute event is read by its type and the dispute’s status', () => {
  const said = (type: string, status: string) =>
    read(`charge.dispute.${type}`, dispute('pi_1', status))?.type
  const expected = [
    ['created', 'needs_response', 'dispute.opened'],
    ['created', 'warning_needs_response', 'dispute.inquiry'],
    ['updated', 'warning_under_review', 'dispute.inquiry'],
    ['updated', 'under_review', 'dispute.opened'],
    ['funds_withdrawn', 'needs_response', 'dispute.opened'],
    ['funds_withdrawn', 'warning_needs_response', 'dispute.opened'],
    ['funds_reinstated', 'won', 'dispute.won'],
    ['closed', 'won', 'dispute.won'],
    ['closed', 'warning_closed', 'dispute.won'],
    ['closed', 'lost', 'dispute.lost'],
  ] as const
  expect(expected.map(([type, status]) => [type, status, said(type, status)])).toEqual(expected)
  const one = dispute('pi_1', 'lost')
  expect(read('charge.dispute.closed', one)).toMatchObject({
    dispute_id: one.id,
    external_reference: 'pi_1',
  })
})

type Said = Parameters<typeof checkReturns>[1][number]
const notified = (
  type: Said['type'],
  cents = 10_700,
  at = 0,
  dispute_id: string | null = null,
): Said => ({
  event_id: `${type} ${cents} ${at} ${dispute_id}`,
  type,
  refund_id: type === 'refund.failed' ? `re_${at}` : null,
  dispute_id: type.startsWith('dispute.') ? (dispute_id ?? 'du_1') : null,
  amount_cents: String(cents),
  said_at: new Date(at),
})

verifies('returns.judged', 'refunds and disputes of a payment, one by one and together', () => {
  const stands = (...events: Said[]) => checkReturns(10_700, events)
  expect(stands(notified('payment.settled'))).toBe('kept')
  expect(stands(notified('payment.partially_refunded', 700))).toBe('partly_returned')
  expect(stands(notified('payment.partially_refunded', 700), notified('payment.refunded'))).toBe(
    'returned',
  )
  expect(stands(notified('dispute.inquiry'))).toBe('asked_about')
  expect(stands(notified('dispute.inquiry'), notified('dispute.opened', 10_700, 1))).toBe(
    'disputed',
  )
  expect(stands(notified('dispute.opened'), notified('dispute.won', 10_700, 1))).toBe('kept')
  expect(stands(notified('dispute.opened'), notified('dispute.lost', 10_700, 1))).toBe('returned')
  expect(stands(notified('dispute.lost', 700))).toBe('partly_returned')
  expect(
    stands(notified('dispute.lost', 700), notified('payment.partially_refunded', 10_000)),
  ).toBe('returned')
  expect(stands(notified('dispute.won', 10_700, 1), notified('dispute.lost', 10_700, 2))).toBe(
    'returned',
  )
  expect(
    stands(notified('dispute.won', 10_700, 1), notified('dispute.opened', 10_700, 2, 'du_2')),
  ).toBe('disputed')
})

verifies('returns.judged', 'neither the order nor a repeat of events changes the result', () => {
  const types = [
    ...([
      'payment.settled',
      'payment.refunded',
      'payment.partially_refunded',
      'refund.failed',
      'dispute.inquiry',
    ] as const),
    ...(['dispute.opened', 'dispute.won', 'dispute.lost'] as const),
  ]
  const said = fc
    .record({
      type: fc.constantFrom(...types),
      cents: fc.constantFrom(100, 5_000, 10_700),
      id: fc.constantFrom('du_1', 'du_2'),
    })
    .map(({ type, cents, id }) => ({ type, cents, id }))
  const shuffled = fc
    .uniqueArray(said, { maxLength: 8, selector: ({ type, id }) => `${type}${id}` })
    .map((all) => all.map(({ type, cents, id }, at) => notified(type, cents, at, id)))
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
  fc.assert(
    fc.property(shuffled, ([events, otherwise]) => {
      const standing = checkReturns(10_700, events)
      expect(checkReturns(10_700, otherwise)).toBe(standing)
      expect(checkReturns(10_700, [...events, ...otherwise])).toBe(standing)
    }),
  )
})
