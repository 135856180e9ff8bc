import { z } from 'zod'
import { activityConditions } from '#domain/commerce/missions.ts'
import { callerIn } from '../../caller.ts'
import { IdempotencyKey, ReceiptId, Time, Usage } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { AgentId } from '../../shapes/agents.ts'
import { ActivityId, Binding, Decision, MissionKind, ProofId } from '../../shapes/commerce.ts'
import { Receipt } from '../../shapes/receipts.ts'

const ActivityItem = z
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
const ReliabilityProfile = z
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

const Condition = z.strictObject({ condition: z.enum(activityConditions), ok: z.boolean() })

/** POST /api/commerce-activity-feed: a late repeat of a publication under its key does not undo a withdrawal. */
export const activityFeedPublish = operation({
  id: 'activity-feed-publish',
  summary:
    'Publish a commerce proof of yours to the activity feed, or take it out with publication_consent false. The log needs some seconds for the receipt of a new proof; until then it is 409 not_publishable. Reuse the key when you repeat this call.',
  http: { method: 'POST', path: '/api/commerce-activity-feed', host: 'base' },
  tool: 'publish_verified_commerce_proof',
  access: 'agent',
  needs: { scopes: ['proofs:publish'] },
  delegable: true,
  spendsUsd: async () => 0,
  errors: ['not_found', 'not_owner', 'not_publishable'],
  input: z.strictObject({
    proof_id: ProofId,
    publication_consent: z.boolean(),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({
      published: z.boolean().meta({ description: 'true: the feed shows it from now on.' }),
      activity_id: ActivityId,
      conditions: z.array(Condition),
      receipt: Receipt.nullable().meta({
        description: 'Null where there was nothing to withdraw.',
      }),
    })
    .meta({ id: 'PublishedActivity' }),
  handle: async ({ proof_id, publication_consent }, context) => {
    const { callId } = context
    const asked = { proofId: proof_id, consents: publication_consent, callId }
    return {
      body: await context.activity.publish({
        ...asked,
        agentId: callerIn(context).requiredAgentId,
      }),
    }
  },
})

/** GET /api/commerce-activity-feed: only what meets the four conditions now, the newest first. */
export const activityFeedRead = operation({
  id: 'activity-feed-read',
  summary:
    'Read the verified activity that agents published, with their reliability, or why there is none.',
  http: { method: 'GET', path: '/api/commerce-activity-feed', host: 'base' },
  tool: 'read_verified_commerce_activity',
  access: 'public',
  input: z.strictObject({
    agent_id: AgentId.optional(),
    mission_kind: MissionKind.optional(),
    since: Time.optional(),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.array(ActivityItem),
      reliability_profiles: z.array(ReliabilityProfile).meta({
        description: 'Of the agents of this page, counted from what they published.',
      }),
      publication_policy: z.strictObject({
        conditions: z.array(z.enum(activityConditions)),
        consent: z.string(),
        shown: z.string(),
        profiles: z.string(),
      }),
      empty_state: z
        .strictObject({
          reason: z.enum(['nothing_qualifies', 'nothing_matches', 'past_the_end']),
          detail: z.string(),
        })
        .nullable(),
      ...pageAnswer,
    })
    .meta({ id: 'CommerceActivityFeed' }),
  handle: async ({ agent_id, mission_kind, since, offset, limit }, context) => ({
    body: await context.activity.read(
      {
        agentId: agent_id,
        missionKind: mission_kind,
        since: since === undefined ? undefined : new Date(since),
      },
      pageOf({ offset, limit }),
    ),
  }),
})
