import { z } from 'zod'
import { plainText } from '../core/plain-text-field.ts'
import type { ProviderEvent, ProviderEventType } from './provider-event-type.ts'

const text = plainText(200)
const challengeId = z.string().regex(/^ch_[0-9a-f]{64}$/)
const walletId = z.string().regex(/^aw_[0-9a-f]{64}$/)
/** Stripe names an object by its id, or spells it out where that was asked for. */
const named = z
  .union([text, z.object({ id: text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null)
const cents = z.int().min(0)

/** The types of events that may be about a payment; an event of any other type is of no concern, whatever its shape. */
const HEARD =
  /^(checkout\.session\.(completed|expired|async_payment_\w+)|charge\.(refund|refunded|dispute)(\.\w+)*|refund\.\w+)$/

/** Whether a Stripe event may be about a payment, by its type alone. */
export const isHeard = (body: unknown): boolean => HEARD.test(String(Object(body).type))

/** The members of a checkout session, a charge, a refund or a dispute that matter here. */
export const stripeEvent = z.object({
  id: text,
  type: z.string(),
  created: z.int().min(0).max(99_999_999_999).nullish(),
  data: z.object({
    object: z.object({
      id: text,
      amount_total: cents.nullish(),
      amount: cents.nullish(),
      amount_refunded: cents.nullish(),
      currency: plainText(10).nullish(),
      payment_status: z.string().nullish(),
      payment_intent: named,
      charge: named,
      status: z.string().nullish(),
      client_reference_id: z.string().nullish(),
      metadata: z.record(z.string(), z.string()).nullish(),
    }),
  }),
})
type StripeEvent = z.output<typeof stripeEvent>
type StripeObject = StripeEvent['data']['object']

/** Reads a Stripe event about a payment; undefined for any other event. */
export function readStripe({
  id,
  type,
  created,
  data: { object },
}: StripeEvent): ProviderEvent | undefined {
  const said = sessionType(type, object) ?? refundType(type, object) ?? disputeType(type, object)
  if (said === undefined) return undefined
  const named = (key: string) => object.client_reference_id ?? object.metadata?.[key]
  return {
    event_id: id,
    type: said,
    external_reference: referenceOf(type, object),
    payment_intent: object.payment_intent,
    dispute_id: type.startsWith('charge.dispute.') ? object.id : null,
    refund_id: said === 'refund.failed' ? object.id : null,
    challenge_id: challengeId.safeParse(named('challenge_id')).data ?? null,
    wallet_id: walletId.safeParse(named('wallet_id')).data ?? null,
    amount_cents: centsOf(type, object),
    currency: object.currency ?? '',
    said_at: created ?? null,
  }
}

function referenceOf(type: string, object: StripeObject): string {
  if (type.startsWith('checkout.session.')) return object.id
  return object.payment_intent ?? object.charge ?? object.id
}

function centsOf(type: string, object: StripeObject): number {
  if (type === 'charge.refunded') return object.amount_refunded ?? 0
  return object.amount_total ?? object.amount ?? 0
}

function sessionType(
  type: string,
  { payment_status }: StripeObject,
): ProviderEventType | undefined {
  const paid = payment_status === 'paid' || payment_status === 'no_payment_required'
  if (type === 'checkout.session.completed' && paid) return 'payment.settled'
  if (type === 'checkout.session.async_payment_succeeded') return 'payment.settled'
  if (type === 'checkout.session.async_payment_failed') return 'payment.failed'
  return type === 'checkout.session.expired' ? 'session.expired' : undefined
}

const refundChanges = ['refund.failed', 'refund.updated', 'charge.refund.updated']

/** `amount_refunded` is the sum of every refund of the charge so far. A refund may still fail or be canceled after it was reported. */
function refundType(
  type: string,
  { amount, amount_refunded, status }: StripeObject,
): ProviderEventType | undefined {
  if (refundChanges.includes(type))
    return status === 'failed' || status === 'canceled' ? 'refund.failed' : undefined
  if (type !== 'charge.refunded') return undefined
  if (amount != null && amount_refunded === amount) return 'payment.refunded'
  return 'payment.partially_refunded'
}

/** Funds are withdrawn when a dispute opens; an inquiry withdraws none before it becomes one. */
function disputeType(type: string, { status }: StripeObject): ProviderEventType | undefined {
  if (!type.startsWith('charge.dispute.')) return undefined
  if (type === 'charge.dispute.funds_reinstated') return 'dispute.won'
  if (status === 'lost') return 'dispute.lost'
  if (status === 'won' || status === 'warning_closed' || status === 'prevented')
    return 'dispute.won'
  const withdrawn = type === 'charge.dispute.funds_withdrawn'
  if (status?.startsWith('warning_') === true && !withdrawn) return 'dispute.inquiry'
  return 'dispute.opened'
}
