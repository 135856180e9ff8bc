import { z } from 'zod'
import { invitationResponses, pilotLimits, pilotStates } from '#domain/pilots/pilot.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, Time } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { Rail } from '../../shapes/agents.ts'
import { Tier } from '../../shapes/payments.ts'
import {
  Pilot,
  PilotClientInput,
  PilotId,
  PilotToken,
  pilotContract,
  RESPONSE_PATH,
} from '../../shapes/pilots.ts'
import { ProspectId } from '../../shapes/prospects.ts'
import { Receipt } from '../../shapes/receipts.ts'

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
        ? await context.pilotInvitations.read(callerIn(context).subjectId)
        : await context.contracts.invitation(),
  }),
})

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
    await context.pilotInvitations.respond(callerIn(context).subjectId, answered, context.callId)
    return answeredByService
  },
})

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
    const by = { operator: callerIn(context).operator.id, callId: context.callId }
    await context.pilotInvitations.invite({ client: { name, contact }, ...offer }, by)
    return answeredByService
  },
  reveal: (answer, { pilotInvitations, callId }) => pilotInvitations.withToken(answer, callId),
})
