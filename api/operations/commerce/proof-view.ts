import { z } from 'zod'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { checkOutcomes, commerceChecks } from '#domain/commerce/result.ts'
import { logStates } from '#domain/receipts/log-state.ts'
import { Digest, Time, Usage } from '../../fields.ts'
import { AgentId } from '../agents/shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { ActivityId, Binding, Decision, MissionKind, ProofId } from './shapes.ts'

export const Passport = z
  .strictObject({ ...Receipt.shape, claims: z.looseObject({}), verify_url: z.string() })
  .meta({ id: 'AgentCommercePassport' })

const persistence = z.strictObject({
  state: z.literal('persisted'),
  published: z.boolean().meta({
    description:
      'Whether the activity feed shows it now: with consent, as soon as the log has its receipt, some seconds after it was made.',
  }),
  publication_consent: z.boolean(),
  activity_id: ActivityId.nullable(),
  review_state: z.enum(['waiting', 'approved', 'rejected']).nullable(),
  review_decision_id: z.string().nullable(),
  evaluated_at: Time,
  record_url: z.string(),
})
const log_state = z.enum(logStates).meta({
  description: 'Where the receipt stands in the transparency log; pending for at most 60 s.',
})
const signed = { receipt: Receipt, passport: Passport, persistence, log_state }
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
