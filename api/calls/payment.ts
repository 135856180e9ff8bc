import { DomainError } from '#domain/core/errors.ts'
import type { ChargedCall } from '#domain/payments/mpp.ts'
import { invalidPayment, type PaymentTerms } from '#domain/payments/payment.ts'
import { searchFrom } from '../../activities/chain/outcome.ts'
import type { CarriedPayment, PaymentHeaders } from '../../activities/payments/payment-header.ts'
import {
  findPayment,
  keepSignature,
  type PaymentClaim,
  paymentAlreadyUsed,
} from '../../activities/store/payments/payments.ts'
import { paymentHeaderOf, takesPayment } from '../operation.ts'
import type { AdmittedCall, CallExecution } from './call.ts'

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

type Call = Pick<AdmittedCall, 'operation' | 'request' | 'deps'>

/** A message of MCP may have its sender in Authorization, whatever the tool needs. */
const chargedCall = ({ operation, request }: Call, callId: string): ChargedCall => ({
  callId,
  body: request.body,
  header: request.tool === undefined ? paymentHeaderOf(operation) : 'Payment-Authorization',
})

/** The payment of an MPP credential, read where it is presented; undefined for a call without one. It takes precedence over one of x402. */
function mppPayment(call: Call, callId: string): CarriedPayment | undefined {
  const charged = chargedCall(call, callId)
  const sent = call.request.headers[charged.header.toLowerCase()]
  if (!/^Payment /i.test(String(sent))) return undefined
  if (typeof sent !== 'string') throw invalidPayment(`${charged.header} is there more than once`)
  const { mpp, clock } = call.deps
  return async () => mpp.accept(sent, charged, await clock.nowSeconds())
}

/** The payment that a call carries, as the text of PAYMENT-SIGNATURE; 402 `payment_invalid` for version 1's header. */
export function carriedPayment(call: Call, callId: string): CarriedPayment | undefined {
  const byMpp = mppPayment(call, callId)
  if (byMpp !== undefined) return byMpp
  const { 'payment-signature': header, 'x-payment': former } = call.request.headers
  if (former !== undefined || Array.isArray(header))
    throw invalidPayment('send one PAYMENT-SIGNATURE of x402 version 2')
  return header === undefined ? undefined : async () => header
}

/** Runs a call; a refusal that offers x402 for it then offers MPP for the same terms. */
export async function offeringMpp<T>(
  call: CallExecution,
  run: (call: CallExecution) => Promise<T>,
): Promise<T> {
  try {
    return await run(call)
  } catch (error) {
    const accepts = error instanceof DomainError ? error.refusal.extra?.['accepts'] : undefined
    if (!(error instanceof DomainError) || accepts === undefined || !takesPayment(call.operation))
      throw error
    const [terms] = accepts as [PaymentTerms]
    const charged = chargedCall(call, call.identity.callId)
    const challenge = call.deps.mpp.challenge(terms, charged, await call.deps.clock.nowSeconds())
    throw new DomainError({
      ...error.refusal,
      extra: { ...error.refusal.extra, payment_challenges: [challenge] },
    })
  }
}
