import { z } from 'zod'
import { Digest, IdempotencyKey, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorCall } from '../operators/caller.ts'
import { Channel, ProspectId, recorded, SPRINT_PATH } from './shapes.ts'

/** POST /api/live-prospect-sprint, mode `record_message_sent`: a message is known by its digest and counts once. */
export const recordMessageSent = operation({
  id: 'record-message-sent',
  summary: 'Record that a message was sent to a prospect, by its digest.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state'],
  input: z.strictObject({
    mode: z.literal('record_message_sent'),
    prospect_id: ProspectId,
    message_sha256: Digest,
    sent_at: Time,
    channel: Channel.optional().meta({ description: 'That of the prospect unless given.' }),
    idempotency_key: IdempotencyKey,
  }),
  output: recorded,
  handle: async ({ mode: _mode, idempotency_key: _key, ...message }, context) => ({
    body: await context.prospects.messageSent(message, operatorCall(context)),
  }),
})
