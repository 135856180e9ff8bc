import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../caller.ts'
import { credit } from './credit-shapes.ts'
import { paymentReferenceCreate } from './payment-reference-create.ts'
import { EntitlementId, PaymentReference, payment, ReferenceId, Verification } from './shapes.ts'

const output = z
  .strictObject({ payment_reference: PaymentReference, verification: Verification, ...credit })
  .meta({ id: 'FundedCredit' })

const funding = {
  method: payment.method.optional(),
  external_reference: payment.external_reference.optional(),
  amount_usd: z.int().min(1).max(1_000_000).optional(),
}

/**
 * POST /api/agents/credits/{entitlement_id} (endpoints §9): looks again for a payment that was presented, or presents one. Each
 * repeat looks again; nothing is paid twice.
 */
export const agentCreditFund = operation({
  id: 'agent-credit-fund',
  summary: 'Fund an entitlement by a payment presented before, or by a new one.',
  http: { method: 'POST', path: '/api/agents/credits/{entitlement_id}', host: 'base' },
  access: ['agent', 'status'],
  needs: { scope: 'runs:write' },
  statusToken: { prefixes: ['st'], signed: true },
  price: null,
  charge: 'after',
  status: [202],
  errors: paymentReferenceCreate.errors,
  idempotency: { kind: 'body', key: ({ idempotency_key }) => idempotency_key },
  limits: { bodyBytes: 65_536 },
  input: z
    .strictObject({
      entitlement_id: EntitlementId,
      payment_reference_id: ReferenceId.optional(),
      ...payment,
      ...funding,
      idempotency_key: IdempotencyKey,
    })
    .refine(
      ({ payment_reference_id, method, external_reference, amount_usd }) =>
        payment_reference_id === undefined
          ? method !== undefined && external_reference !== undefined && amount_usd !== undefined
          : method === undefined && external_reference === undefined && amount_usd === undefined,
      { message: 'give payment_reference_id, or else method, external_reference and amount_usd' },
    )
    .meta({
      oneOf: [{ required: ['payment_reference_id'] }, { required: ['method', 'external_reference', 'amount_usd'] }],
    }),
  output,
  handle: async ({ entitlement_id, payment_reference_id, ...given }, context) => {
    const { method = 'payment_reference', external_reference = '', amount_usd = 0, payer, proof, evidence } = given
    const paid = { method, external_reference, amount_usd, payer, proof, evidence }
    const by = payment_reference_id === undefined ? paid : { payment_reference_id }
    return { body: output.parse(await context.money.fundCredit(callingAgentId(context), entitlement_id, by)) }
  },
})
