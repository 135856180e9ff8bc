export const providerEventTypes = [
  'payment.settled',
  'payment.failed',
  'payment.refunded',
  'refund.failed',
  'session.expired',
] as const
/** What else a provider says of money that went back, or may go back. */
const returnEventTypes = [
  'payment.partially_refunded',
  'dispute.inquiry',
  'dispute.opened',
  'dispute.won',
  'dispute.lost',
] as const
export type ProviderEventType =
  | (typeof providerEventTypes)[number]
  | (typeof returnEventTypes)[number]

/**
 * What a provider says of one payment; the amount is in cents. `external_reference` is its session, and of money that went back the
 * payment intent, which the session's own event names too. What it pays is the challenge or the wallet that it names, and `said_at` is
 * the provider's time in Unix seconds.
 */
export type ProviderEvent = {
  event_id: string
  type: ProviderEventType
  external_reference: string
  payment_intent: string | null
  dispute_id: string | null
  refund_id: string | null
  challenge_id: string | null
  wallet_id: string | null
  amount_cents: number
  currency: string
  said_at: number | null
}

/** What was stored of an event; an amount in cents as text. */
export type StoredEvent = Omit<ProviderEvent, 'amount_cents' | 'said_at'> & {
  provider: string
  amount_cents: string
  said_at: Date | null
}
