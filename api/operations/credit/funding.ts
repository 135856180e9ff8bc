import { z } from 'zod'
import type { FundedBy } from '../../services/credit/credit.ts'
import { payment } from '../payments/presented.ts'
import { ReferenceId } from '../payments/shapes.ts'

/** A payment presented before by its id, or a new one with the amount that its payer takes it to be. */
export const funding = {
  ...payment,
  payment_reference_id: ReferenceId.optional(),
  method: payment.method.optional(),
  external_reference: payment.external_reference.optional(),
  amount_usd: z.int().min(1).max(1_000_000).optional(),
}
type Given = z.output<z.ZodObject<typeof funding>>

/** Whether it is exactly one of the two; the published schema says so by `fundingForms`. */
export const isFunding = ({
  payment_reference_id,
  method,
  external_reference,
  amount_usd,
}: Given): boolean => {
  const named = [method, external_reference, amount_usd]
  const wanted = payment_reference_id === undefined
  return named.every((one) => (one !== undefined) === wanted)
}
export const fundingMessage = {
  message: 'give payment_reference_id, or else method, external_reference and amount_usd',
}
export const fundingForms = {
  oneOf: [
    { required: ['payment_reference_id'] },
    { required: ['method', 'external_reference', 'amount_usd'] },
  ],
}

/** The payment as the services take it. */
export function fundedBy({ payment_reference_id, ...given }: Given): FundedBy {
  if (payment_reference_id !== undefined) return { payment_reference_id }
  const {
    method = 'payment_reference',
    external_reference = '',
    amount_usd = 0,
    payer,
    proof,
    evidence,
    provider,
  } = given
  return { method, external_reference, amount_usd, payer, proof, evidence, provider }
}
