import { z } from 'zod'
import { activityConditions } from '#domain/commerce/missions.ts'
import { ReceiptId, Time, Usage } from '../../fields.ts'
import { AgentId } from '../agents/shapes.ts'
import { ActivityId, Binding, Decision, MissionKind, ProofId } from './shapes.ts'

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
