import { z } from 'zod'
import { SignedGrant, SignedMandate } from '#domain/authority/artifacts.ts'
import { mandateStates } from '#domain/authority/facts.ts'
import { IdempotencyKey } from '../../fields.ts'
import { Receipt } from '../operators/receipt.ts'

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
