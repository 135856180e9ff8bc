import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { paymentReferenceCreate } from '../payments/payment-reference-create.ts'
import {
  EntitlementId,
  PaymentReference,
  QuoteId,
  quoteToken,
  Verification,
} from '../payments/shapes.ts'
import { credit } from './credit-shapes.ts'
import { fundedBy, funding, fundingForms, fundingMessage, isFunding } from './funding.ts'

/**
 * POST /api/agents/credits/{entitlement_id}: checks a presented payment, or presents one. Each
 * repeat checks again; nothing is paid twice.
 */
export const agentCreditFund = operation({
  id: 'agent-credit-fund',
  summary: 'Fund an entitlement by a payment presented before, or by a new one.',
  http: { method: 'POST', path: '/api/agents/credits/{entitlement_id}', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st'], signed: true },
  status: [202],
  errors: paymentReferenceCreate.errors,
  limits: { bodyBytes: 65_536 },
  input: z
    .strictObject({
      entitlement_id: EntitlementId,
      ...funding,
      quote_id: QuoteId.optional(),
      ...quoteToken,
      idempotency_key: IdempotencyKey,
    })
    .refine(isFunding, fundingMessage)
    .refine(
      ({ quote_id, quote_token }) => (quote_id === undefined) === (quote_token === undefined),
      {
        message: 'quote_id and quote_token go together',
      },
    )
    .meta(fundingForms),
  output: z
    .strictObject({ payment_reference: PaymentReference, verification: Verification, ...credit })
    .meta({ id: 'FundedCredit' }),
  handle: async ({ entitlement_id, quote_id, quote_token, ...given }, context) => {
    const { credit } = context
    const agentId = callingAgentId(context)
    if (quote_id !== undefined && quote_token !== undefined)
      await credit.open(agentId, { quote_id, quote_token })
    return { body: await credit.fund(agentId, entitlement_id, fundedBy(given)) }
  },
})
