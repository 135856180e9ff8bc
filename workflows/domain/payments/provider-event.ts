import { z } from 'zod'
import { refuse } from '../core/errors.ts'
import { faultAt, firstFaults } from '../core/faults.ts'
import { plainText } from '../core/plain-text-field.ts'
import { paysIn } from './payment-authority.ts'
import type { AuthorityType, Verdict } from './payment-reference.ts'
import {
  type ProviderEvent,
  type ProviderEventType,
  providerEventTypes,
  type StoredEvent,
} from './provider-event-type.ts'
import { checkReturns } from './returned-money.ts'
import { isHeard, readStripe, stripeEvent } from './stripe-event.ts'

const text = plainText(200)
const challengeId = z.string().regex(/^ch_[0-9a-f]{64}$/)
const walletId = z.string().regex(/^aw_[0-9a-f]{64}$/)

/** The body of a Standard Webhooks event; the amount in whole usd. */
const ProviderEventBody = z
  .strictObject({
    event_id: text,
    type: z.enum(providerEventTypes),
    provider_session_id: text.optional(),
    external_reference: text.optional(),
    challenge_id: challengeId
      .optional()
      .meta({ description: 'What is paid. A payment that names nothing waits for an operator.' }),
    wallet_id: walletId.optional().meta({ description: 'The wallet that is topped up.' }),
    amount_usd: z.int().min(0).max(1_000_000),
    currency: z
      .string()
      .regex(/^[a-z]{3,5}$/)
      .meta({
        description: '`usd`, or a stablecoin such as `usdc`, whose amount is in whole usd at par.',
      }),
  })
  .refine(
    (body) => (body.provider_session_id === undefined) !== (body.external_reference === undefined),
    {
      message: 'give exactly one of provider_session_id and external_reference',
    },
  )
  .meta({ oneOf: [{ required: ['provider_session_id'] }, { required: ['external_reference'] }] })

/**
 * A verified event's body as what it says of a payment; undefined for an event of a type of no concern, whatever its shape; 400
 * `invalid_request`.
 */
export function readProviderEvent(
  scheme: 'standard' | 'stripe',
  body: unknown,
): ProviderEvent | undefined {
  if (scheme === 'stripe') return isHeard(body) ? readStripe(parsed(stripeEvent, body)) : undefined
  const { type } = Object(body)
  const isOther = typeof type === 'string' && !providerEventTypes.some((heard) => heard === type)
  return isOther ? undefined : readStandard(parsed(ProviderEventBody, body))
}

function readStandard(event: z.output<typeof ProviderEventBody>): ProviderEvent {
  const {
    event_id,
    type,
    provider_session_id,
    external_reference,
    challenge_id,
    wallet_id,
    amount_usd,
    currency,
  } = event
  return {
    event_id,
    type,
    external_reference: provider_session_id ?? external_reference ?? '',
    payment_intent: null,
    dispute_id: null,
    refund_id: null,
    challenge_id: challenge_id ?? null,
    wallet_id: wallet_id ?? null,
    amount_cents: amount_usd * 100,
    currency,
    said_at: null,
  }
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const errors = firstFaults(read.error.issues.map(({ path, message }) => faultAt(path, message)))
  throw refuse('invalid_request', { detail: 'the event has another form', errors })
}

type Paid = {
  external_reference: string
  challenge_id: string | null
  wallet_id: string | null
  amount_usd: number
  authority_type?: AuthorityType | null
}
type Named = Pick<StoredEvent, 'challenge_id' | 'wallet_id'>

const namesNothing = (event: Named): boolean =>
  event.challenge_id === null && event.wallet_id === null
/** Whether an event says that it pays what the reference pays. */
export const names = (event: Named, { challenge_id, wallet_id }: Named): boolean =>
  event.challenge_id === challenge_id && event.wallet_id === wallet_id

/** The events that do not name anything else than the reference pays. */
export const withoutOthers = <E extends Named>(reference: Named, events: readonly E[]): E[] =>
  events.filter((event) => namesNothing(event) || names(event, reference))

type OfPayment = Pick<StoredEvent, 'provider' | 'payment_intent' | 'external_reference'>

/** Whether two events are about one payment: of one intent, or of one name where one of them has no intent. */
export const isOnePayment = (one: OfPayment, other: OfPayment): boolean =>
  one.provider === other.provider &&
  (one.payment_intent === null || other.payment_intent === null
    ? one.external_reference === other.external_reference
    : one.payment_intent === other.payment_intent)

/**
 * What the events about a session or its challenge prove of a reference. The name of a payment alone proves nothing, because anyone
 * may present it: a payment counts that names what the reference pays. Anyone may pay so too, so one of exactly what is owed counts
 * before others, and one that was given back rejects only its own name. One that names nothing, and a wrong amount, stay pending for
 * an operator, because money did move.
 */
export function checkEvents(reference: Paid, events: readonly StoredEvent[]): Verdict {
  const own = withoutOthers(reference, events)
  const of = (type: ProviderEventType) => own.filter((event) => event.type === type)
  const refunds = of('payment.refunded')
  const isBack = (paid: StoredEvent) => {
    const about = own.filter((event) => isOnePayment(event, paid))
    return checkReturns(Number(paid.amount_cents), about) === 'returned'
  }
  const isPresented = (event: StoredEvent) =>
    event.external_reference === reference.external_reference
  const all = of('payment.settled')
  const fits = (paid: StoredEvent) => names(paid, reference) && isOwed(reference, paid)
  const weight = (paid: StoredEvent) =>
    4 * Number(fits(paid)) + 2 * Number(isPresented(paid)) + Number(names(paid, reference))
  const [settled] = all
    .filter((paid) => !isBack(paid))
    .sort((left, right) => weight(right) - weight(left))
  if (settled !== undefined) return checkSettled(reference, settled)
  if ([...all, ...refunds].some(isPresented))
    return { kind: 'rejected', reason: 'the provider gave the payment back' }
  if (of('payment.failed').length > 0)
    return { kind: 'rejected', reason: 'the provider says that the payment failed' }
  if (of('session.expired').length > 0)
    return { kind: 'rejected', reason: 'the provider’s session expired unpaid' }
  if (events.length > own.length)
    return { kind: 'rejected', reason: 'the session pays for something else' }
  return { kind: 'pending', reason: 'no event of a payment provider has confirmed it yet' }
}

const isOwed = (
  { authority_type, amount_usd }: Paid,
  { currency, amount_cents }: StoredEvent,
): boolean => paysIn(authority_type, currency) && amount_cents === `${amount_usd * 100}`

/** The reason is the presenter's to read, who may have guessed the name: only operators see what the payment was. */
function checkSettled(reference: Paid, settled: StoredEvent): Verdict {
  const { provider, event_id } = settled
  const code = isOwed(reference, settled) ? 'unclear_payment' : 'amount_mismatch'
  if (code === 'unclear_payment' && names(settled, reference))
    return { kind: 'verified', evidence: { provider, event_id } }
  return {
    kind: 'pending',
    code,
    reason: 'a payment of this name is not exactly what is owed; an operator decides about it',
  }
}
