import { refuse } from '#domain/core/errors.ts'
import { overReasons } from '#domain/payments/payment-authority.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { SERVICE_OS } from '#domain/work-orders/work-order.ts'
import {
  findEntitlement,
  findEntitlementOf,
} from '../../../activities/store/credit/entitlements.ts'
import { findQuote, type QuoteRow } from '../../../activities/store/credit/quotes.ts'
import {
  findLiveOf,
  findReference,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { referenceView } from '../credit/views.ts'
import type { OrderAsked } from './intake.ts'

type Asked = Pick<
  OrderAsked,
  'agentId' | 'quote_id' | 'payment_reference_id' | 'requested_tool_id' | 'tier'
> & { steps: readonly { rail: RailKey }[] }

/**
 * The quote that pays for an order: the named one, or else the one that its named payment pays. Throws 404 for a payment that is
 * not of its agent, and 422 `amount_mismatch` for one that does not pay for this order.
 */
export async function quoteOfOrder(db: Tx, asked: Asked): Promise<string | null> {
  const { payment_reference_id, agentId, quote_id } = asked
  if (payment_reference_id === undefined) return quote_id
  const reference = await findReference(db, payment_reference_id)
  if (reference === undefined || reference.agent_id !== agentId)
    throw refuse('not_found', { detail: 'no such payment reference of this agent' })
  const quote = await quotePaidBy(db, reference)
  const [over] = overReasons(reference)
  const fault = over ?? (quote === undefined ? 'the payment is for no run' : unfit(quote, asked))
  if (quote !== undefined && fault === undefined) return quote.quote_id
  throw refuse('amount_mismatch', {
    detail: fault ?? 'the payment is for no run',
    next_action: 'Name a payment of a quote for this rail and tier, or none.',
  })
}

async function quotePaidBy(db: Tx, { entitlement_id }: ReferenceRow) {
  const paid = entitlement_id === null ? undefined : await findEntitlement(db, entitlement_id)
  return paid && findQuote(db, paid.quote_id)
}

function unfit(quote: QuoteRow, asked: Asked): string | undefined {
  const { requested_tool_id, quote_id, tier, steps } = asked
  if (requested_tool_id === SERVICE_OS) return 'the runs of service_os are paid one by one'
  if (quote_id !== null && quote_id !== quote.quote_id) return 'the payment is for another quote'
  if (quote.rail === steps[0]?.rail && quote.tier === tier) return undefined
  return `the payment is for ${quote.rail} ${quote.tier}`
}

/** The payment of an order's quote as it is now; undefined where none was presented, or it is over. */
export async function paymentOfOrder(tx: Tx, quoteId: string) {
  const entitlement = await findEntitlementOf(tx, quoteId)
  const live = entitlement && (await findLiveOf(tx, entitlement.entitlement_id))
  return live && referenceView(live)
}
