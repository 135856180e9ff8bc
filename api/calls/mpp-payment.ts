import { DomainError } from '#domain/core/errors.ts'
import type { ChargedCall } from '#domain/payments/mpp.ts'
import { invalidPayment, type PaymentTerms } from '#domain/payments/payment.ts'
import type { CarriedPayment } from '../../activities/payments/payment-header.ts'
import { paymentHeaderOf, takesPayment } from '../operation.ts'
import type { CallExecution, IdentifiedCall } from './call.ts'

type Call = Pick<IdentifiedCall, 'operation' | 'request' | 'deps'>

/** A message of MCP may have its sender in Authorization, whatever the tool needs. */
const chargedCall = ({ operation, request }: Call, callId: string): ChargedCall => ({
  callId,
  body: request.body,
  header: request.tool === undefined ? paymentHeaderOf(operation) : 'Payment-Authorization',
})

/** The payment of an MPP credential, read where it is presented; undefined for a call without one. It takes precedence over one of x402. */
export function mppPayment(call: Call, callId: string): CarriedPayment | undefined {
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
export async function offeringMpp<T>(call: CallExecution, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
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
