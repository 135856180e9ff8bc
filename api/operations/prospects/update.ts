import { z } from 'zod'
import { Digest, freeText, IdempotencyKey, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorCall } from '../operators/caller.ts'
import { binding, Channel, ProspectId, ProspectState, recorded, SPRINT_PATH } from './shapes.ts'

/** POST /api/live-prospect-sprint, mode `update_prospect_state`: no state that is paid for is ever recorded. */
export const updateProspectState = operation({
  id: 'update-prospect-state',
  summary:
    'Move a prospect to its next state, or name its agent; the paid states only follow from payments and runs.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  errors: ['not_found', 'not_ready', 'wrong_state', 'already_bound', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('update_prospect_state'),
    prospect_id: ProspectId,
    to: ProspectState,
    reason: freeText(500, 1).optional(),
    received: z
      .strictObject({ message_sha256: Digest, channel: Channel, received_at: Time })
      .optional()
      .meta({
        description: 'What the prospect wrote, as you received it; recorded with the move.',
      }),
    conversation_sha256: Digest.optional().meta({
      description: 'Cites what the prospect wrote, as it was recorded before.',
    }),
    ...binding,
    idempotency_key: IdempotencyKey,
  }),
  output: recorded,
  handle: async ({ mode: _mode, idempotency_key: _key, ...moved }, context) => ({
    body: await context.prospects.update(moved, operatorCall(context)),
  }),
})
