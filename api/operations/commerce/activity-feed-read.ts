import { z } from 'zod'
import { activityConditions } from '#domain/commerce/missions.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { AgentId } from '../agents/shapes.ts'
import { ActivityItem, ReliabilityProfile } from './activity-shapes.ts'
import { MissionKind } from './shapes.ts'

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
