import { z } from 'zod'
import { claimStates } from '#domain/commerce/claims.ts'
import {
  activityConditions,
  commerceDecisions,
  missionKinds,
  protocolBindings,
} from '#domain/commerce/missions.ts'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { checkOutcomes, commerceChecks } from '#domain/commerce/result.ts'
import { limits } from '#domain/core/limits.ts'
import { Address, Digest, freeText, IdempotencyKey, ReceiptId, Time, Usage } from '../../fields.ts'
import { AgentId } from '../agents/shapes.ts'
import { Receipt } from '../operators/receipt.ts'

export const ProofId = z.string().regex(/^cp_[0-9a-f]{64}$/)
export const ActivityId = z.string().regex(/^ca_[0-9a-f]{64}$/)
export const MissionKind = z.enum(missionKinds)
export const Decision = z.enum(commerceDecisions)
const Binding = z.enum(protocolBindings)
const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/)
  .meta({ examples: ['report.md'] })
const content = freeText(limits.artifactCharsMax, 1)
const bytes = z.int().min(0).max(1_000_000_000)

/** A list whose members differ in the member that names them. */
const named = <Item extends z.ZodType>(item: Item, by: string, most: number) =>
  z
    .array(item)
    .max(most)
    .refine((items) => new Set(items.map((one) => Object(one)[by])).size === items.length, {
      message: `must not hold two members of the same ${by}`,
    })

const Claims = z
  .array(z.strictObject({ claim: freeText(500, 1), artifact: name }))
  .max(50)
  .default([])

/** The request of a commerce proof; published as commerce-proof.v1.json. */
export const CommerceProofInput = z.strictObject({
  schema_version: z.literal('v1'),
  mission: z.strictObject({
    mission_id: IdempotencyKey,
    kind: MissionKind,
    objective: freeText(2000, 1),
    publication_consent: z.boolean().default(false),
  }),
  agent: z
    .strictObject({
      agent_id: AgentId.optional(),
      name: freeText(120, 1).optional(),
      wallet: Address.optional(),
    })
    .refine(({ agent_id, name: called }) => (agent_id ?? called) !== undefined, {
      message: 'give agent_id or name',
    })
    .meta({ anyOf: [{ required: ['agent_id'] }, { required: ['name'] }] }),
  return_package: z.union([
    z.strictObject({
      return_package_id: z.string().regex(/^rp_[0-9a-f]{64}$/),
      claims: Claims,
    }),
    z.strictObject({
      artifacts: named(
        z.strictObject({
          name,
          sha256: Digest,
          bytes: bytes.optional(),
          content: content.optional(),
        }),
        'name',
        50,
      ),
      claims: Claims,
    }),
  ]),
  evidence: named(
    z.strictObject({
      id: name,
      sha256: Digest,
      text: content.optional(),
      dated: Time.optional(),
      receipt_id: ReceiptId.optional(),
    }),
    'id',
    50,
  ).default([]),
  payment: z
    .strictObject({
      payment_reference_id: z.string().regex(/^pr_[0-9a-f]{64}$/),
      amount_usd: z.int().min(1).max(1_000_000).optional(),
    })
    .optional(),
  authority: z.strictObject({ mandate_id: z.string().regex(/^mdt_[0-9a-f]{64}$/) }).optional(),
  protocol_binding: Binding.optional(),
  idempotency_key: IdempotencyKey.optional(),
})

const Passport = z
  .strictObject({ ...Receipt.shape, claims: z.looseObject({}), verify_url: z.string() })
  .meta({ id: 'AgentCommercePassport' })

const persistence = z.strictObject({
  state: z.literal('persisted'),
  published: z.boolean().meta({ description: 'Whether the activity feed shows it now.' }),
  publication_consent: z.boolean(),
  activity_id: ActivityId.nullable(),
  review_state: z.enum(['waiting', 'approved', 'rejected']).nullable(),
  review_decision_id: z.string().nullable(),
  evaluated_at: Time,
  record_url: z.string(),
})
const signed = { receipt: Receipt, passport: Passport, persistence }
const money_movement = z.literal(false).meta({
  description:
    'Read from the ledger: nothing is posted or transferred under the call of the proof.',
})

/** A proof as its caller and its agent see it. */
export const CommerceProof = z
  .strictObject({
    proof_id: ProofId,
    decision: Decision,
    reasons: z.array(
      z.strictObject({
        check: z.enum(commerceChecks),
        reason: z.string().nullable(),
        detail: z.string(),
      }),
    ),
    mission: z.strictObject({ mission_id: z.string(), kind: MissionKind, objective: z.string() }),
    agent: z.strictObject({
      agent_id: AgentId.nullable(),
      name: z.string().nullable(),
      wallet: z.string().nullable(),
      credential_bound: z.boolean(),
    }),
    protocol_binding: Binding.nullable(),
    usage: Usage,
    verification_packet: CommercePacket,
    ...signed,
    money_movement,
  })
  .meta({ id: 'CommerceProof' })

/** A proof as everyone may see it. */
export const PublicCommerceProof = z
  .strictObject({
    proof_id: ProofId,
    decision: Decision,
    checks: z.array(
      z.strictObject({
        check: z.enum(commerceChecks),
        outcome: z.enum(checkOutcomes),
        reason: z.string().nullable(),
      }),
    ),
    mission_kind: MissionKind,
    agent_id: AgentId.nullable(),
    protocol_binding: Binding.nullable(),
    usage: Usage,
    package_sha256: Digest,
    packet_sha256: Digest,
    ...signed,
    money_movement,
  })
  .meta({ id: 'PublicCommerceProof' })

/** What the service offers to prove. */
export const CommerceContract = z
  .strictObject({
    schema: z.looseObject({}).meta({ description: 'commerce-proof.v1.json.' }),
    decisions: z.array(Decision),
    missions: z.array(
      z.strictObject({
        kind: MissionKind,
        needs: z.array(z.string()),
        payment: z.enum(['required', 'if_named']),
        needs_agent: z.boolean(),
      }),
    ),
    protocol_bindings: z.array(
      z.strictObject({
        binding: Binding,
        url: z.string().nullable().meta({ description: 'Null where this service has none.' }),
        held_against: z.string().nullable().meta({ description: 'What proves it.' }),
      }),
    ),
    checks: z.array(z.enum(commerceChecks)),
    claim_states: z.array(z.enum(claimStates)),
    safety_boundary: z.strictObject({
      money_movement: z.literal(false),
      rules: z.array(z.string()),
      forbidden_claims: z.array(z.string()),
      evidence_days_max: z.int(),
      body_bytes_max: z.int(),
    }),
    live: z.record(z.string(), z.int()).meta({ description: 'Proofs by decision.' }),
  })
  .meta({ id: 'CommerceContract' })

export const ActivityItem = z
  .strictObject({
    activity_id: ActivityId,
    proof_id: ProofId,
    agent_id: AgentId,
    mission_kind: MissionKind,
    protocol_binding: Binding.nullable(),
    usage: Usage,
    decision: Decision,
    reviewed: z.boolean(),
    receipt_id: ReceiptId,
    passport_receipt_id: ReceiptId,
    evaluated_at: Time,
    published_at: Time,
    verify_url: z.string(),
  })
  .meta({ id: 'CommerceActivity' })

const count = z.int().min(0)
export const ReliabilityProfile = z
  .strictObject({
    agent_id: AgentId,
    published: count,
    synthetic: count,
    eligible_to_continue: count,
    human_review_required: count,
    payment_hold: count,
    eligible_percent: count,
    first_published_at: Time,
    last_published_at: Time,
  })
  .meta({ id: 'ReliabilityProfile' })

export const Condition = z.strictObject({ condition: z.enum(activityConditions), ok: z.boolean() })
