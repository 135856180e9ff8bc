import { z } from 'zod'
import { invitationResponses } from '#domain/pilots/pilot.ts'
import { Digest, freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { Pilot, PilotClientInput, RESPONSE_PATH } from './shapes.ts'

const input = z
  .strictObject({
    response: z.enum(invitationResponses),
    terms_sha256: Digest.optional().meta({ description: 'Of the terms as read, to accept them.' }),
    message: freeText(2000, 1).optional().meta({ description: 'Kept in the conversation.' }),
    client: PilotClientInput.optional(),
    idempotency_key: IdempotencyKey,
  })
  .refine(
    ({ response, terms_sha256, message }) =>
      response === 'accept'
        ? terms_sha256 !== undefined
        : response === 'decline' || message !== undefined,
    { message: 'accept needs terms_sha256; request_changes and ask_question need a message' },
  )

/** POST /api/pilot-invitation-response-workflow: the holder of an invitation's token accepts or declines it once, or asks before. */
export const invitationRespond = operation({
  id: 'invitation-respond',
  summary: 'Accept or decline an invitation to a pilot, or ask about it, by its token.',
  http: { method: 'POST', path: RESPONSE_PATH, host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['pt'], signed: true },
  errors: [
    'not_found',
    'wrong_state',
    'invitation_expired',
    'terms_mismatch',
    'forbidden_material',
  ],
  input,
  output: z
    .strictObject({ pilot: Pilot, next_action: z.string(), receipt: Receipt })
    .meta({ id: 'AnsweredInvitation' }),
  handle: async ({ response, terms_sha256, message, client }, context) => {
    const answered = {
      response,
      terms_sha256: terms_sha256 ?? null,
      message: message ?? null,
      client: client ?? null,
    }
    await context.pilotInvitations.respond(subjectOf(context), answered, context.callId)
    return answeredByService
  },
})
