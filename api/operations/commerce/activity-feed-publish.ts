import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { Condition } from './activity-shapes.ts'
import { ActivityId, ProofId } from './shapes.ts'

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
    return { body: await context.activity.publish({ ...asked, agentId: callingAgent(context) }) }
  },
})
