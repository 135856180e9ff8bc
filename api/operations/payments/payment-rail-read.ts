import { z } from 'zod'
import { confirmedBy, paymentPaths } from '#domain/payments/payment-reference.ts'
import { operation } from '../../operation.ts'
import { readingAgentId } from '../agents/caller.ts'
import { Method, PaymentReference, ReferenceId, Verification } from './shapes.ts'

/** GET /api/agent-payment-rail: the ways of payment; with an id the caller's own payment reference. */
export const paymentRailRead = operation({
  id: 'payment-rail-read',
  summary: 'Read the ways of payment and who confirms each, or a payment reference of your own.',
  http: { method: 'GET', path: '/api/agent-payment-rail', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ payment_reference_id: ReferenceId.optional() }),
  output: z
    .strictObject({
      posture: z.array(z.enum(['reference_based', 'provider_webhooks'])),
      payment_paths: z.array(z.enum(paymentPaths)),
      methods: z.array(z.strictObject({ method: Method, confirmed_by: z.array(z.string()) })),
      payment_reference: PaymentReference.nullable(),
      verification: Verification.nullable(),
    })
    .meta({ id: 'PaymentRail' }),
  handle: async ({ payment_reference_id }, context) => {
    const { posture, methods } = context.payments
    const rail = {
      posture: [...posture],
      payment_paths: [...paymentPaths],
      methods: methods.map((method) => ({ method, confirmed_by: [...confirmedBy[method]] })),
    }
    if (payment_reference_id === undefined)
      return { body: { ...rail, payment_reference: null, verification: null } }
    const agentId = readingAgentId(context, 'a payment reference is read by its agent')
    return {
      body: {
        ...rail,
        ...(await context.payments.readReference(agentId, payment_reference_id)),
      },
    }
  },
})
