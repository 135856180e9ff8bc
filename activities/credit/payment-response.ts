import { paymentResponse } from '../payments/offers.ts'
import { findPaymentOfQuote } from '../store/payments/payments.ts'
import type { Changes } from '../store/postgres/changes.ts'
import type { Tx } from '../store/postgres/db.ts'

type Settling = { db: Tx; changes: Pick<Changes, 'wait'>; settleWaitMs: number }

/**
 * The PAYMENT-RESPONSE header of a call that carried the payment for a quote, once it has settled; no header when it has not
 * settled within `settleWaitMs`. A repeat of the call returns it later.
 */
export async function responseToPayment(
  { db, changes, settleWaitMs }: Settling,
  quoteId: string,
): Promise<Record<string, string>> {
  const until = performance.now() + settleWaitMs
  for (;;) {
    const payment = await findPaymentOfQuote(db, quoteId)
    if (payment?.state === 'settled') return paymentResponse(payment)
    const underWay = payment?.state === 'settling' || payment?.state === 'pending'
    const leftMs = until - performance.now()
    if (!underWay || leftMs <= 0) return {}
    await changes.wait(payment.payment_id, leftMs)
  }
}
