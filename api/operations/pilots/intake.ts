import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { clientEntryKinds, entryKinds, pilotRequirements } from '#domain/pilots/pilot.ts'
import { DATA_DECLARATION } from '#domain/tasks/data-declaration.ts'
import { callerIn } from '../../caller.ts'
import type { Context } from '../../context.ts'
import { freeText, IdempotencyKey, Time } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { AccountId } from '../../shapes/accounts.ts'
import { Rail } from '../../shapes/agents.ts'
import { Tier } from '../../shapes/payments.ts'
import {
  Pilot,
  PilotClientInput,
  PilotEntry,
  PilotId,
  PilotToken,
  pilotContract,
} from '../../shapes/pilots.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { WorkOrder } from '../../shapes/work-orders.ts'

/** The pilot that an operator names, or that of the token; throws 404 where a token names another. */
export function pilotOf({ caller }: Context, pilotId: string | undefined): string {
  const own = caller.kind === 'status' ? caller.subjectId : pilotId
  if (own === undefined || (pilotId !== undefined && pilotId !== own))
    throw refuse('not_found', {
      detail: 'no such pilot',
      next_action: 'Name the pilot with pilot_id, or send the token of that pilot.',
    })
  return own
}

const PilotContract = pilotContract({
  rails: z.array(Rail),
  requirements: z.array(z.string()),
}).meta({ id: 'PilotIntakeContract' })

/** GET /api/pilot-intake: what a pilot is asked for with; with the pilot's token, the pilot. */
export const pilotIntakeRead = operation({
  id: 'pilot-intake-read',
  summary: 'Read what a pilot is asked for with, or your own pilot by its status token.',
  http: { method: 'GET', path: '/api/pilot-intake', host: 'base' },
  access: ['status', 'public'],
  statusToken: { prefixes: ['pt'], signed: false },
  errors: ['not_found'],
  output: z.union([z.strictObject({ pilot: Pilot }).meta({ id: 'OwnPilot' }), PilotContract]),
  handle: async (_input, context) => {
    const { caller, pilots, contracts } = context
    if (caller.kind === 'status')
      return { body: { pilot: await pilots.read(callerIn(context).subjectId) } }
    const contract = await contracts.pilotIntake()
    return { body: { ...contract, rails: pilots.rails(), requirements: [...pilotRequirements] } }
  },
})

const SubmittedIntake = z
  .strictObject({
    pilot: Pilot,
    work_order: WorkOrder.meta({ description: 'Without a run; it is decided with the pilot.' }),
    receipt: Receipt,
    status_token: PilotToken.meta({
      description: 'Reads the pilot and takes part in its conversation; given here alone.',
    }),
  })
  .meta({ id: 'RequestedPilot' })

/** POST /api/pilot-intake: any caller may ask for a pilot, which waits for the decision of an operator. Nothing runs. */
export const pilotIntakeSubmit = operation({
  id: 'pilot-intake-submit',
  summary: 'Ask for a pilot of a rail; an operator decides about it, and nothing runs before.',
  http: { method: 'POST', path: '/api/pilot-intake', host: 'base' },
  access: 'public',
  status: [202],
  errors: [
    ...(['rail_not_allowed', 'not_found', 'wrong_state', 'forbidden_material'] as const),
    ...(['credential_required', 'not_owner'] as const),
  ],
  // The intake of an invitation has its pilot already.
  uses: ({ invitation_token }) => ({ tasks: 1, pilots: invitation_token === undefined ? 1 : 0 }),
  input: z.strictObject({
    client: PilotClientInput.extend({
      account_id: AccountId.optional().meta({
        description: 'Of the agent whose access key is presented: the pilot is then that agent’s.',
      }),
    }),
    rail: Rail,
    tier: Tier.default('standard'),
    objective: freeText(2000, 1),
    workflow_description: freeText(4000, 1).optional(),
    desired_start: z.iso.date().optional().meta({ description: 'Today or later, in UTC.' }),
    invitation_token: PilotToken.optional().meta({
      description: 'Of an accepted invitation, whose pilot takes the intake.',
    }),
    data_declaration: z.literal(DATA_DECLARATION).meta({
      description:
        'The sender declares that the intake holds no regulated records and no confidential production client data. Nothing here detects them.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: SubmittedIntake,
  handle: async ({ idempotency_key: _key, ...asked }, context) => {
    const { workflow_description = null, desired_start = null, invitation_token = null } = asked
    const by = { agentId: callerIn(context).agentId, callId: context.callId }
    const intake = { ...asked, workflow_description, desired_start, invitation_token }
    return { body: await context.pilots.submit(intake, by) }
  },
})

const input = z.strictObject({
  pilot_id: PilotId.optional().meta({
    description: 'For operators; a token names its own pilot.',
  }),
  kind: z.enum(entryKinds).meta({
    description: `Clients may say ${clientEntryKinds.join(', ')}; the others are the operator’s.`,
  }),
  text: freeText(4000, 1),
  due_at: Time.optional().meta({ description: 'When it is due, as an operator sets it.' }),
  idempotency_key: IdempotencyKey,
})

/** POST /api/pilot-conversation-tracker: the holder of a pilot's token and operators add entries, each chained to the one before. */
export const pilotConversationAdd = operation({
  id: 'pilot-conversation-add',
  summary: 'Add to what is said about a pilot; decisions and next steps are the operator’s.',
  http: { method: 'POST', path: '/api/pilot-conversation-tracker', host: 'base' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['pt'], signed: true },
  status: [201],
  errors: ['not_found', 'wrong_state', 'scope_denied', 'forbidden_material'],
  input,
  output: z.strictObject({ entry: PilotEntry, pilot: Pilot }).meta({ id: 'AddedPilotEntry' }),
  authorize: async (asked, context) => assertMaySay(asked, context),
  handle: async ({ pilot_id, kind, text, due_at = null }, context) => {
    const { caller, pilotConversations, callId } = context
    const author_role = caller.kind === 'operator' ? 'operator' : 'client'
    const author = { author_role, author: caller.id } as const
    await pilotConversations.add(pilotOf(context, pilot_id), author, { kind, text, due_at }, callId)
    return answeredByService
  },
})

/** Only an operator decides, says what is next, and sets a date. */
function assertMaySay({ kind, due_at }: z.output<typeof input>, { caller }: Context): void {
  if (caller.kind === 'operator') return
  if (due_at === undefined && clientEntryKinds.some((one) => one === kind)) return
  throw refuse('scope_denied', {
    detail: 'decisions, next steps and dates are set by an operator',
    next_action: `Say ${clientEntryKinds.join(', ')}, without due_at.`,
  })
}

const Conversation = z
  .strictObject({
    pilot: Pilot,
    entries: z.array(PilotEntry).meta({ description: 'The newest first.' }),
    offset: z.int().min(0),
    limit: z.int().min(1),
    total: z.int().min(0),
    next_step: z.string().meta({
      description: 'As an operator said last, else as it follows from the state.',
    }),
  })
  .meta({ id: 'PilotConversation' })

/** GET /api/pilot-conversation-tracker: what was said about a pilot, to the holder of its token and to operators. */
export const pilotConversationRead = operation({
  id: 'pilot-conversation-read',
  summary: 'Read what was said about a pilot, the newest first, and what happens next.',
  http: { method: 'GET', path: '/api/pilot-conversation-tracker', host: 'base' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['pt'], signed: false },
  errors: ['not_found'],
  input: z.strictObject({
    pilot_id: PilotId.optional().meta({
      description: 'For operators; a token names its own pilot.',
    }),
    ...pageFields(3),
  }),
  output: Conversation,
  handle: async ({ pilot_id, ...page }, context) => ({
    body: await context.pilotConversations.read(pilotOf(context, pilot_id), pageOf(page)),
  }),
})
