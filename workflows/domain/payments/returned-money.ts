import { groupedBy } from '../core/grouped-by.ts'
import type { StoredEvent } from './provider-event.ts'

/** How a payment stands after all that its provider said of refunds and disputes. */
export type ReturnStanding = 'kept' | 'asked_about' | 'partly_returned' | 'disputed' | 'returned'

type Said = Pick<StoredEvent, 'type' | 'dispute_id' | 'amount_cents' | 'said_at'>

/**
 * Judges the refunds and disputes of a payment of so many cents, in whatever order its events came. A payment is `returned` when its
 * whole amount went back, and `disputed` while that is open; less than the whole takes no credit and is for an operator.
 */
export function checkReturns(paidCents: number, events: readonly Said[]): ReturnStanding {
  const refunds = events.filter(
    ({ type }) => type === 'payment.refunded' || type === 'payment.partially_refunded',
  )
  const disputes = [
    ...groupedBy(events.filter(isDispute), ({ dispute_id }) => dispute_id ?? '').values(),
  ].map(standingOf)
  const refunded = Math.max(0, ...refunds.map(({ amount_cents }) => Number(amount_cents)))
  const lost = disputes.flatMap(({ type, cents }) => (type === 'dispute.lost' ? [cents] : []))
  const back = lost.reduce((sum, cents) => sum + cents, refunded)
  if (refunds.some(({ type }) => type === 'payment.refunded') || (back > 0 && back >= paidCents))
    return 'returned'
  if (disputes.some(({ type }) => type === 'dispute.opened')) return 'disputed'
  if (back > 0) return 'partly_returned'
  return disputes.some(({ type }) => type === 'dispute.inquiry') ? 'asked_about' : 'kept'
}

const isDispute = ({ type }: Said) => type.startsWith('dispute.')

/** A decision outlasts what opened the dispute; of several decisions the latest counts. */
function standingOf(said: readonly Said[]): { type: Said['type']; cents: number } {
  const decided = said.filter(({ type }) => type === 'dispute.won' || type === 'dispute.lost')
  const opened = said.filter(({ type }) => type === 'dispute.opened')
  const counted = [decided, opened, said].find((some) => some.length > 0) ?? said
  const [latest] = [...counted].sort((left, right) => secondsOf(right) - secondsOf(left))
  const cents = Math.max(0, ...said.map(({ amount_cents }) => Number(amount_cents)))
  return { type: latest?.type ?? 'dispute.inquiry', cents }
}

const secondsOf = ({ said_at }: Said): number => said_at?.getTime() ?? 0
