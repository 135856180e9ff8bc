import { z } from 'zod'
import { paymentPaths } from '#domain/payments/payment-reference.ts'
import { pilotStates } from '#domain/pilots/pilot.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { scopedAgentId } from '../agents/scoped-caller.ts'
import { PilotId, PilotToken } from '../pilots/token.ts'
import { PaymentChallenge, QuoteId } from './shapes.ts'

/**
 * POST /api/agent-rail-checkout: opens the challenge of a quote for a customer and shows how this path pays it. Anyone may open it;
 * one that activates the pilot of an invitation is opened by the agent of the quote.
 */
export const railCheckoutOpen = operation({
  id: 'rail-checkout-open',
  summary:
    'Open the checkout of a quote for a customer, by a hosted page, an invoice, credit or a reference.',
  http: { method: 'POST', path: '/api/agent-rail-checkout', host: 'base' },
  access: 'public',
  status: [201],
  errors: [
    ...(['credential_required', 'scope_denied', 'not_owner', 'trust_required'] as const),
    'not_found',
    'wrong_state',
    'quote_expired',
    'quote_mismatch',
    'invitation_expired',
    'payment_pending',
    'already_funded',
    'forbidden_material',
  ],
  input: z.strictObject({
    quote_id: QuoteId,
    payment_path: z.enum(paymentPaths),
    customer: z.strictObject({
      name: freeText(160, 1),
      email: z.email().max(254),
      purchase_order: freeText(80, 1).optional(),
    }),
    invitation_token: PilotToken.optional().meta({
      description:
        'Of an accepted invitation: the checkout activates the pilot, with the access key of the agent of the quote (runs:write).',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      challenge: PaymentChallenge,
      reference_instructions: z.string(),
      pilot: z
        .strictObject({ pilot_id: PilotId, state: z.enum(pilotStates) })
        .optional()
        .meta({ description: 'Of the invitation.' }),
    })
    .meta({ id: 'OpenedCheckout' }),
  handle: async ({ idempotency_key: _key, invitation_token: token, ...asked }, context) => {
    const detail = 'the checkout of a pilot is opened by the agent of its quote'
    const invited =
      token === undefined
        ? undefined
        : { token, agentId: scopedAgentId(context, 'runs:write', detail) }
    return {
      body: await context.checkouts.open({ callId: context.callId, ...asked, invited }),
    }
  },
})
