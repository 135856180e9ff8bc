import { z } from 'zod'
import { pilotLimits } from '#domain/pilots/pilot.ts'
import { freeText, IdempotencyKey, Time } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Tier } from '../payments/shapes.ts'
import { ProspectId } from '../prospects/shapes.ts'
import { Pilot } from './shapes.ts'
import { PilotToken } from './token.ts'

const output = z
  .strictObject({
    pilot: Pilot,
    invitation_token: PilotToken.meta({ description: 'For the client; given here alone.' }),
    response_url: z.string(),
    expires_at: Time,
  })
  .meta({ id: 'PilotInvitation' })

/** POST /api/first-pilot-outreach-pack: an operator invites a client to a pilot; a workflow waits for the answer. */
export const pilotInvite = operation({
  id: 'pilot-invite',
  summary: 'Invite a client to a pilot; the invitation is answered by its token within its time.',
  http: { method: 'POST', path: '/api/first-pilot-outreach-pack', host: 'base' },
  access: 'operator',
  status: [201],
  errors: ['not_found', 'wrong_state', 'rail_not_allowed', 'forbidden_material'],
  uses: () => ({ workflows: 1 }),
  input: z.strictObject({
    client: z.strictObject({ name: freeText(120, 1), contact: freeText(200, 1).optional() }),
    rail: Rail,
    tier: Tier.default('standard'),
    objective: freeText(2000, 1),
    prospect_id: ProspectId.optional().meta({
      description: 'The qualified prospect that is offered the pilot by this.',
    }),
    valid_for_seconds: z
      .int()
      .min(1)
      .max(pilotLimits.invitationSecondsMax)
      .default(pilotLimits.invitationSecondsMax)
      .meta({ description: 'How long it may be answered: 14 days unless given.' }),
    idempotency_key: IdempotencyKey,
  }),
  output,
  handle: async ({ idempotency_key: _key, client, ...offer }, context) => {
    const { name, contact = null } = client
    const by = { operator: callingOperator(context).id, callId: context.callId }
    await context.pilotInvitations.invite({ client: { name, contact }, ...offer }, by)
    return answeredByService
  },
  reveal: (answer, { pilotInvitations, callId }) => pilotInvitations.withToken(answer, callId),
})
