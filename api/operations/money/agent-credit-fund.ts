import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../caller.ts'
import { credit } from './credit-shapes.ts'
import { fundedBy, funding, fundingForms, fundingMessage, isFunding } from './funding.ts'
import { paymentReferenceCreate } from './payment-reference-create.ts'
import { EntitlementId, PaymentReference, Verification } from './shapes.ts'

const output = z
  .strictObject({ payment_reference: PaymentReference, verification: Verification, ...credit })
  .meta({ id: 'FundedCredit' })

/**
 * POST /api/agents/credits/{entitlement_id} (endpoints §9): looks again for a payment that was presented, or presents one. Each
 * repeat looks again; nothing is paid twice.
 */
export const agentCreditFund = operation({
  id: 'agent-credit-fund',
  summary: 'Fund an entitlement by a payment presented before, or by a new one.',
  http: { method: 'POST', path: '/api/agents/credits/{entitlement_id}', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st'], signed: true },
  price: null,
  charge: 'after',
  status: [202],
  errors: paymentReferenceCreate.errors,
  idempotency: { kind: 'body', key: ({ idempotency_key }) => idempotency_key },
  limits: { bodyBytes: 65_536 },
  input: z
    .strictObject({ entitlement_id: EntitlementId, ...funding, idempotency_key: IdempotencyKey })
    .refine(isFunding, fundingMessage)
    .meta(fundingForms),
  output,
  handle: async ({ entitlement_id, ...given }, context) => ({
    body: output.parse(await context.money.fundCredit(callingAgentId(context), entitlement_id, fundedBy(given))),
  }),
})
