import { z } from 'zod'
import { pilotStates } from '#domain/pilots/pilot.ts'
import { Digest, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Tier } from '../payments/shapes.ts'
import { pilotContract, RESPONSE_PATH } from './shapes.ts'
import { PilotId } from './token.ts'

const Invitation = z
  .strictObject({
    terms: z.strictObject({
      pilot_id: PilotId,
      rail: Rail,
      tier: Tier,
      total_usd: z.int().min(0),
      currency: z.literal('usd'),
      objective: z.string(),
      expires_at: Time,
      runs: z.literal(1),
      rules: z.array(z.string()),
    }),
    terms_sha256: Digest.meta({ description: 'Of the canonical JSON of terms.' }),
    expires_at: Time,
    state: z.enum(pilotStates),
  })
  .meta({ id: 'Invitation' })
const InvitationContract = pilotContract({}).meta({ id: 'InvitationContract' })

/** GET /api/pilot-invitation-response-workflow: how invitations are answered; with a token, the invitation. */
export const invitationRead = operation({
  id: 'invitation-read',
  summary: 'Read how an invitation to a pilot is answered, or your own one by its token.',
  http: { method: 'GET', path: RESPONSE_PATH, host: 'base' },
  access: ['status', 'public'],
  statusToken: { prefixes: ['pt'], signed: false },
  errors: ['not_found', 'invitation_expired'],
  output: z.union([Invitation, InvitationContract]),
  handle: async (_input, context) => ({
    body:
      context.caller.kind === 'status'
        ? await context.pilotInvitations.read(subjectOf(context))
        : await context.contracts.invitation(),
  }),
})
