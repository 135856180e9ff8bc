import { paymentResponse } from '../payment/offers.ts'
import { findPaymentOfQuote } from '../store/payments/payments.ts'
import { type Changes, lookUntil } from '../store/postgres/changes.ts'
import type { Tx } from '../store/postgres/db.ts'

type Settling = { db: Tx; changes: Pick<Changes, 'wait'>; settleWaitMs: number }

/**
 * The PAYMENT-RESPONSE header of a call that carried the payment for a quote, once that has settled; none where it has not
 * within `settleWaitMs`. A repeat of the call then has it.
 */
export async function responseToPayment(
  { db, changes, settleWaitMs }: Settling,
  quoteId: string,
): Promise<Record<string, string>> {
  const carried = await findPaymentOfQuote(db, quoteId)
  if (carried === undefined) return {}
  const ended = await lookUntil(changes, carried.payment_id, settleWaitMs, async () => {
    const payment = await findPaymentOfQuote(db, quoteId)
    return payment?.state === 'settling' || payment?.state === 'pending'
      ? undefined
      : (payment ?? null)
  })
  return ended?.state === 'settled' ? paymentResponse(ended) : {}
}
