import { z } from 'zod'
import {
  MandateLimits,
  mandateTerms,
  SignedGrant,
  SignedMandate,
} from '#domain/authority/artifacts.ts'
import { mandateStates } from '#domain/authority/facts.ts'
import { freeText, IdempotencyKey, Time } from '../../fields.ts'
import { Receipt } from '../../shapes/receipts.ts'

/** Where all modes of the authority are called. */
export const authorityPath = '/api/delegated-authority'
/** A body may carry the input of a run. */
export const actionBodyBytes = 1_114_112

/** An artifact as it was given out. What does not fit its schema is refused by a rule, with a decision. */
export const PresentedMandate = z
  .record(z.string(), z.unknown())
  .meta({ description: 'As issue_mandate returned it: /schemas/authority-mandate.v1.json.' })
export const PresentedGrant = z
  .record(z.string(), z.unknown())
  .meta({ description: 'As issue_action_grant returned it: /schemas/action-grant.v1.json.' })

const action = {
  operation_id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
    .meta({ examples: ['start-agent-run'] }),
  input: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The body of the operation, with its own idempotency_key.' }),
  spend_usd: z.int().min(0).max(1_000_000).optional().meta({
    description:
      'The most that the action may cost, in whole usd; the operation computes the price.',
  }),
  idempotency_key: IdempotencyKey,
}
export const Action = z.strictObject(action)
export const GrantAction = z.strictObject({
  ...action,
  expires_in_seconds: z.int().min(10).max(300).optional().meta({ description: '120 by default.' }),
})

export const DraftId = z
  .string()
  .regex(/^dr_[0-9a-f]{64}$/)
  .meta({ description: 'A draft that has not expired.' })
export const MandateId = z.string().regex(/^mdt_[0-9a-f]{64}$/)
export const GrantId = z.string().regex(/^gr_[0-9a-f]{64}$/)
const Remaining = z.strictObject({ usd: z.int(), actions: z.int() })

export const IssuedAuthority = z
  .strictObject({
    signed_mandate: SignedMandate,
    mandate_id: MandateId,
    receipt: Receipt,
  })
  .meta({ id: 'IssuedAuthority' })

export const IssuedAp2 = z
  .strictObject({
    mandate_id: MandateId,
    open_checkout_mandate: z.string().meta({ description: 'SD-JWT, which ends in ~.' }),
    open_payment_mandate: z
      .string()
      .meta({ description: 'SD-JWT, bound to the checkout mandate.' }),
    open_checkout_hash: z.string().meta({ description: 'What payment.reference names.' }),
    expires_at: z.iso.datetime(),
    receipt: Receipt,
  })
  .meta({ id: 'IssuedAp2Mandates' })

export const IssuedGrant = z
  .strictObject({
    signed_action_grant: SignedGrant,
    grant_id: GrantId,
    expires_at: z.iso.datetime(),
    receipt: Receipt,
  })
  .meta({ id: 'IssuedActionGrant' })

const Reason = z.strictObject({
  rule: z.string(),
  effect: z.enum(['allow', 'deny']),
  detail: z.string(),
})

export const Decision = z
  .strictObject({
    decision_id: z.string(),
    decision: z.enum(['allow', 'deny']),
    reasons: z.array(Reason).meta({ description: 'The rules that decided.' }),
    would_spend_usd: z
      .int()
      .nullable()
      .meta({ description: 'The price that the operation computes.' }),
    remaining: Remaining.nullable(),
    grant_required: z.boolean(),
    receipt: Receipt,
  })
  .meta({ id: 'AuthorityDecision' })

export const Inspection = z
  .strictObject({
    valid: z.boolean(),
    state: z.enum(mandateStates).nullable(),
    checks: z.array(z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })),
    remaining: Remaining.nullable(),
    grants: z.array(
      z.strictObject({
        grant_id: GrantId,
        operation_id: z.string(),
        state: z.enum(['issued', 'consumed', 'expired', 'revoked']),
        expires_at: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: 'MandateInspection' })

export const MandateRemaining = Remaining

/** What mandates of AP2 are worth now. */
export const Ap2InspectionShape = z
  .strictObject({
    valid: z.boolean().meta({ description: 'Every check holds and no constraint is broken.' }),
    state: z.enum(mandateStates).nullable(),
    checks: z.array(z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })),
    constraints: z.array(
      z.strictObject({
        constraint: z.string(),
        verdict: z.enum(['met', 'broken', 'not_judged']).meta({
          description: 'Not judged: only a closed mandate, or the checkout with it, decides.',
        }),
        rule: z.string(),
        details: z.array(z.string()).meta({ description: 'What is broken.' }),
      }),
    ),
    budget: z
      .strictObject({
        currency: z.string().nullable(),
        total: z.string().nullable(),
        spent: z.string().nullable(),
        left: z.string().nullable(),
        uses: z.int(),
        uses_max: z.int().nullable(),
        last_paid_at: Time.nullable(),
      })
      .nullable()
      .meta({
        description:
          'As the rows have it, exact and in major units; null if not genuine or not shown.',
      }),
    key: z
      .strictObject({
        issuer: z.string(),
        kid: z.string(),
        alg: z.string(),
        standing: z.enum(['published', 'active', 'retired', 'revoked']),
        activated_at: Time.nullable(),
        retired_at: Time.nullable(),
        revoked_at: Time.nullable(),
      })
      .nullable()
      .meta({ description: 'Of the issuer, as it stands now.' }),
    mandates: z
      .strictObject({
        open_payment: z.looseObject({}).nullable(),
        payment: z.looseObject({}).nullable(),
        open_checkout: z.looseObject({}).nullable(),
        checkout: z.looseObject({}).nullable(),
      })
      .meta({ description: 'What each says, also where a check fails.' }),
  })
  .meta({ id: 'Ap2Inspection' })

/** The terms of a mandate as a caller asks for them. */
export const termsAsked = {
  principal_id: mandateTerms.principal_id.meta({
    description: 'Who the agent acts for.',
    'x-free-text': true,
  }),
  agent_id: mandateTerms.agent_id.meta({ description: 'The agent that may act.' }),
  purpose: freeText(500, 1).meta({
    ...freeText(500, 1).meta(),
    description: 'What the mandate is for, in words.',
  }),
  allowed_operations: mandateTerms.allowed_operations.meta({
    description: 'The ids of operations that can be delegated.',
  }),
  rails: mandateTerms.rails.default([]),
  resources: mandateTerms.resources
    .meta({ ...mandateTerms.resources.meta(), 'x-free-text': true })
    .default([]),
  limits: MandateLimits.extend({
    actions_max: MandateLimits.shape.actions_max.meta({
      description: 'How many actions the mandate permits.',
    }),
  }),
  valid_from: mandateTerms.valid_from.optional().meta({ description: 'Now by default.' }),
  expires_at: mandateTerms.expires_at,
}
