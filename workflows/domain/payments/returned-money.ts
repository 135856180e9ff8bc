import { groupedBy } from '../core/grouped-by.ts'
import type { StoredEvent } from './provider-event-type.ts'

/** How a payment stands after all that its provider said of refunds and disputes. */
export type ReturnStanding = 'kept' | 'asked_about' | 'partly_returned' | 'disputed' | 'returned'

type Said = Pick<
  StoredEvent,
  'event_id' | 'type' | 'dispute_id' | 'refund_id' | 'amount_cents' | 'said_at'
>

/**
 * Judges the refunds and disputes of a payment of so many cents, in whatever order its events came. A payment is `returned` when its
 * whole amount went back, and `disputed` while that is open; less than the whole takes no credit and is for an operator.
 */
export function checkReturns(paidCents: number, events: readonly Said[]): ReturnStanding {
  const disputes = [
    ...groupedBy(events.filter(isDispute), ({ dispute_id }) => dispute_id ?? '').values(),
  ].map(standingOf)
  const refunds = standingOfRefunds(events)
  const lost = disputes.flatMap(({ type, cents }) => (type === 'dispute.lost' ? [cents] : []))
  const back = lost.reduce((sum, cents) => sum + cents, refunds.cents)
  if (refunds.isWhole || (back > 0 && back >= paidCents)) return 'returned'
  if (disputes.some(({ type }) => type === 'dispute.opened')) return 'disputed'
  if (back > 0) return 'partly_returned'
  return disputes.some(({ type }) => type === 'dispute.inquiry') ? 'asked_about' : 'kept'
}

/**
 * What is back by refunds: the latest report of them, which is a sum of a provider that dates its events, less the refunds that failed
 * since. Reports without a date are added up, because any of them may be the latest.
 */
function standingOfRefunds(events: readonly Said[]): { cents: number; isWhole: boolean } {
  const reports = byEvent(events.filter(isRefund))
  const since = Math.max(0, ...reports.map(secondsOf))
  const latest = reports.filter((report) => secondsOf(report) === since)
  const failed = byRefund(
    events.filter((event) => event.type === 'refund.failed' && secondsOf(event) >= since),
  )
  const isDated = latest.some(({ said_at }) => said_at !== null)
  const reported = isDated ? Math.max(0, ...latest.map(centsOf)) : sumOf(latest)
  const isWhole = failed.length === 0 && latest.some(({ type }) => type === 'payment.refunded')
  return { cents: Math.max(0, reported - sumOf(failed)), isWhole }
}

const isRefund = ({ type }: Said) =>
  type === 'payment.refunded' || type === 'payment.partially_refunded'
const byEvent = (events: readonly Said[]): Said[] => [
  ...new Map(events.map((event) => [event.event_id, event])).values(),
]
/** A provider may report one failure by several events. */
const byRefund = (events: readonly Said[]): Said[] => [
  ...new Map(events.map((event) => [event.refund_id ?? event.event_id, event])).values(),
]
const centsOf = ({ amount_cents }: Said): number => Number(amount_cents)
const sumOf = (events: readonly Said[]): number =>
  events.reduce((sum, event) => sum + centsOf(event), 0)

const isDispute = ({ type }: Said) => type.startsWith('dispute.')

/** A decision outlasts what opened the dispute; of several decisions the latest counts. */
function standingOf(said: readonly Said[]): { type: Said['type']; cents: number } {
  const decided = said.filter(({ type }) => type === 'dispute.won' || type === 'dispute.lost')
  const opened = said.filter(({ type }) => type === 'dispute.opened')
  const counted = [decided, opened, said].find((some) => some.length > 0) ?? said
  const [latest] = [...counted].sort((left, right) => secondsOf(right) - secondsOf(left))
  const cents = Math.max(0, ...said.map(centsOf))
  return { type: latest?.type ?? 'dispute.inquiry', cents }
}

const secondsOf = ({ said_at }: Said): number => said_at?.getTime() ?? 0
