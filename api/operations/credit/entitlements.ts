import { z } from 'zod'
import { callerIn } from '../../caller.ts'
import { IdempotencyKey, ReceiptId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { contractSchema } from '../../shapes/contract.ts'
import { credit, Entitlement } from '../../shapes/credit.ts'
import {
  ChallengeId,
  ChallengeState,
  EntitlementId,
  PaymentChallenge,
  PaymentReference,
  QuoteId,
  quoteToken,
  Verification,
} from '../../shapes/payments.ts'
import { paymentReferenceCreate } from '../payments/references.ts'
import { fundedBy, funding, fundingForms, fundingMessage, isFunding } from './wallets.ts'

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
    const agentId = callerIn(context).requiredAgentId
    const isClaimed = quote_id !== undefined && quote_token !== undefined
    const claim = isClaimed ? { quote_id, quote_token } : undefined
    return { body: await credit.fund(agentId, entitlement_id, { ...fundedBy(given), claim }) }
  },
})

/** GET /api/agents/credits/{entitlement_id}. */
export const agentCreditRead = operation({
  id: 'agent-credit-read',
  summary: 'Read an entitlement: what is left of its credit, its postings and its receipts.',
  http: { method: 'GET', path: '/api/agents/credits/{entitlement_id}', host: 'base' },
  access: ['agent', 'operator', 'status'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['not_found', 'not_owner'],
  input: z.strictObject({ entitlement_id: EntitlementId }),
  output: z.strictObject(credit).meta({ id: 'Credit' }),
  handle: async ({ entitlement_id }, context) => ({
    body: await context.credit.read(entitlement_id, callerIn(context).agentId),
  }),
})

const BindingId = z.string().regex(/^bd_[0-9a-f]{64}$/)

/** A challenge and the one entitlement that its payment funds; its state is that of the challenge. */
const Binding = z
  .strictObject({
    binding_id: BindingId,
    entitlement_id: EntitlementId,
    challenge_id: ChallengeId,
    state: ChallengeState,
    settlement_receipt_id: ReceiptId.nullable(),
  })
  .meta({ id: 'CreditBinding' })

/** POST /api/agent-credit-checkout-binding: what settles this challenge later funds exactly this entitlement. */
export const creditBindingCreate = operation({
  id: 'credit-binding-create',
  summary:
    'Bind a challenge to the entitlement of its quote, so that its payment funds exactly that.',
  http: { method: 'POST', path: '/api/agent-credit-checkout-binding', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st'], signed: true },
  status: [201],
  errors: ['not_found', 'not_owner', 'already_bound', 'challenge_expired', 'amount_mismatch'],
  input: z.strictObject({
    entitlement_id: EntitlementId,
    challenge_id: ChallengeId,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ binding: Binding, entitlement: Entitlement, challenge: PaymentChallenge })
    .meta({ id: 'BoundCredit' }),
  handle: async ({ entitlement_id, challenge_id }, context) => {
    const ids = {
      agentId: callerIn(context).requiredAgentId,
      entitlementId: entitlement_id,
      challengeId: challenge_id,
    }
    return { body: await context.checkouts.bind({ callId: context.callId, ...ids }) }
  },
})

/** GET /api/agent-credit-checkout-binding: what the path offers; asked for one, also the agent's own binding. */
export const creditBindingRead = operation({
  id: 'credit-binding-read',
  summary: 'Read how credit is bound to the challenge that pays for it, or a binding of your own.',
  http: { method: 'GET', path: '/api/agent-credit-checkout-binding', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z
    .strictObject({ binding_id: BindingId.optional(), entitlement_id: EntitlementId.optional() })
    .refine(
      ({ binding_id, entitlement_id }) => binding_id === undefined || entitlement_id === undefined,
      {
        message: 'give binding_id or entitlement_id, not both',
      },
    )
    .meta({ not: { required: ['binding_id', 'entitlement_id'] } }),
  output: contractSchema('Bound challenges by state.', { binding: Binding.nullable() }).meta({
    id: 'CreditBindingContract',
  }),
  handle: async ({ binding_id, entitlement_id }, context) => {
    const contract = await context.contracts.binding()
    const selector = selectorOf(binding_id, entitlement_id)
    if (selector === undefined) return { body: { ...contract, binding: null } }
    const agentId = callerIn(context).agentIdFor('only its agent can read a binding')
    const binding = await context.checkouts.readBinding(agentId, selector)
    return { body: { ...contract, binding } }
  },
})

function selectorOf(binding_id?: string, entitlement_id?: string) {
  if (binding_id !== undefined) return { binding_id }
  if (entitlement_id !== undefined) return { entitlement_id }
  return undefined
}
