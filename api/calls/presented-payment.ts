import { searchFrom } from '../../activities/chain/outcome.ts'
import type { PaymentHeaders } from '../../activities/payments/payment-header.ts'
import {
  findPayment,
  keepSignature,
  type PaymentClaim,
  paymentAlreadyUsed,
} from '../../activities/store/payments/payments.ts'
import type { CallExecution } from './call.ts'
import { mppPayment } from './mpp-payment.ts'

/** The payment of this request, parsed and verified; `ours` when it is bound to this call already. 402 when there is none. */
export async function verifyPresentedPayment(
  call: CallExecution,
  more: { debt?: Record<string, string> } = {},
): Promise<PaymentClaim | 'ours'> {
  const { offers, db, clock, chainHead } = call.deps
  const payment = offers.readPayment(await paymentHeaders(call), call.operation)
  if (payment === undefined)
    throw offers.paymentRequired(call.operation, 'payment is required', more)
  const known = await findPayment(db, payment.paymentId)
  // A payment that is claimed is never verified again: verification of a settled one fails although it paid.
  if (known !== undefined && known.state !== 'released') {
    if (known.call_id === call.identity.callId) return 'ours'
    throw paymentAlreadyUsed()
  }
  await offers.verify(payment, await clock.nowSeconds(), call.operation)
  const fromBlock = searchFrom(await chainHead())
  const { accepted, ...signed } = payment
  const { paymentId, payer, nonce, payTo, value, validAfter, validBefore, signature } = signed
  const claim = {
    paymentId,
    asset: offers.asset,
    payer,
    nonce,
    payTo,
    value,
    validAfter,
    validBefore,
    signature,
    requirements: accepted,
    proofWallet: call.caller.kind === 'wallet' ? call.caller.wallet : call.caller.id,
    fromBlock,
  }
  await keepSignature(db, claim)
  return claim
}

/** The headers of x402 that the call has, or those of the payment in its MPP credential. */
async function paymentHeaders({
  operation,
  request,
  deps,
  identity,
}: CallExecution): Promise<PaymentHeaders> {
  try {
    const byMpp = mppPayment({ operation, request, deps }, identity.callId)
    return byMpp === undefined ? request.headers : { 'payment-signature': await byMpp() }
  } catch (error) {
    throw deps.offers.withOffer(operation, error)
  }
}
