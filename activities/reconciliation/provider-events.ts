import type { Difference, DifferenceCode } from '#domain/core/difference.ts'
import { readEvents } from '../store/credit/provider-events.ts'
import type { ReconciliationDeps } from './deps.ts'

const codes: Readonly<Record<string, DifferenceCode>> = {
  unmatched: 'event_unmatched',
  paid_twice: 'paid_twice',
  asked_about: 'payment_asked_about',
  disputed: 'payment_disputed',
  partly_returned: 'payment_partly_returned',
  refunded_after_use: 'payment_returned_after_use',
  restored: 'payment_restored',
  refund_failed: 'refund_failed',
}

/** Provider events that an operator must see; a dispute only while it lasts. */
export async function checkProviderEvents(
  { db }: ReconciliationDeps,
  keys: readonly string[],
): Promise<Difference[]> {
  const events = await readEvents(db, keys)
  return events.flatMap(({ provider, event_id, type, outcome, reference_state, ...said }) => {
    if (outcome === null || (outcome === 'disputed' && reference_state !== 'disputed')) return []
    const isRefused = outcome.startsWith('refused_') || outcome === 'rejected'
    const code = isRefused ? 'event_refused' : codes[outcome]
    if (code === undefined) return []
    const {
      external_reference,
      payment_intent,
      dispute_id,
      amount_cents,
      currency,
      payment_reference_id,
    } = said
    const found = { type, external_reference, payment_intent, dispute_id, amount_cents, currency }
    const evidence = { stored: { outcome, payment_reference_id }, found }
    return [{ code, subject: `event/${provider}/${event_id}`, evidence }]
  })
}
