import type { Difference } from '#domain/core/difference.ts'
import { comparePayment } from '#domain/reconciliation/reconciliation.ts'
import { soughtOf } from '../chain/outcome.ts'
import { lastAuthorization } from '../payments/settler.ts'
import { readPayments, type StoredPayment } from '../store/reconciliation/findings.ts'
import { compareEach, type ReconciliationDeps } from './deps.ts'
import { findDone } from './find-done.ts'
import { provenBy } from './payouts.ts'

/** Compares these x402 payments with the chain and the calls that they pay for. */
export async function checkPayments(
  deps: ReconciliationDeps,
  ids: readonly string[],
): Promise<Difference[]> {
  return compareEach(await readPayments(deps.db, ids), (one) => checkPayment(deps, one))
}

async function checkPayment(
  deps: ReconciliationDeps,
  { payment, calls }: StoredPayment,
): Promise<Difference[]> {
  const sent =
    payment.state === 'settling' || payment.state === 'pending' || payment.state === 'failed'
  const search = async () =>
    provenBy(await deps.findOutcome(lastAuthorization(payment), soughtOf(payment)))
  return comparePayment({
    payment: {
      paymentId: payment.payment_id,
      state: payment.state,
      credit: payment.credit,
      from: payment.payer,
      to: payment.pay_to,
      amountAtomic: payment.amount_atomic,
      nonce: payment.authorization_nonce,
      transactionHash: payment.transaction_hash,
      blockHash: payment.block_hash,
    },
    calls,
    transaction:
      payment.state === 'settled'
        ? await findDone(deps, payment, lastAuthorization(payment))
        : null,
    outcome: sent ? await search() : null,
  })
}
