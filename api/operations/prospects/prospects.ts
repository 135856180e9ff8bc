import { z } from 'zod'
import { pilotStates } from '#domain/pilots/pilot.ts'
import { purposes } from '#domain/prospects/outreach.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageInBody, pageOf } from '../../page-fields.ts'
import { Rail } from '../../shapes/agents.ts'
import { Tier } from '../../shapes/payments.ts'
import { PilotId } from '../../shapes/pilots.ts'
import {
  NewProspect,
  numbers,
  Prospect,
  ProspectId,
  ProspectMove,
  ProspectState,
  recorded,
  SentMessage,
  SPRINT_PATH,
  Sprint,
  SprintId,
} from '../../shapes/prospects.ts'
import { Receipt } from '../../shapes/receipts.ts'

/** POST /api/live-prospect-sprint, mode `create_prospect`: it holds no personal data but what the operator chooses as label and contact. */
export const createProspect = operation({
  id: 'create-prospect',
  summary: 'Record a prospect, with the agent whose paid runs are those of it where that is known.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  status: [201],
  errors: ['not_found', 'already_bound', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('create_prospect'),
    ...NewProspect.shape,
    idempotency_key: IdempotencyKey,
  }),
  output: recorded,
  handle: async ({ mode: _mode, idempotency_key: _key, ...described }, context) => ({
    body: await context.prospects.create(described, callerIn(context).operatorCall),
  }),
})

/** POST /api/live-prospect-sprint, mode `read_prospects`. */
export const readProspects = operation({
  id: 'read-prospects',
  summary: 'List the prospects, the newest first, with their number by state.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('read_prospects'),
    state: ProspectState.optional(),
    ...pageInBody(1_000_000),
  }),
  output: z
    .strictObject({
      items: z.array(Prospect),
      ...pageAnswer,
      counts: z.record(ProspectState, z.int()).meta({ description: 'By state.' }),
    })
    .meta({ id: 'Prospects' }),
  handle: async ({ state, offset, limit }, { prospects }) => ({
    body: await prospects.list(state, { offset, limit }),
  }),
})

/** POST /api/live-prospect-sprint, mode `record_message_sent`: a message is known by its digest and counts once. */
export const recordMessageSent = operation({
  id: 'record-message-sent',
  summary: 'Record that a message was sent to a prospect, by its digest.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state'],
  input: z.strictObject({
    mode: z.literal('record_message_sent'),
    ...SentMessage.shape,
    idempotency_key: IdempotencyKey,
  }),
  output: recorded,
  handle: async ({ mode: _mode, idempotency_key: _key, ...message }, context) => ({
    body: await context.prospects.messageSent(message, callerIn(context).operatorCall),
  }),
})

const output = z
  .strictObject({
    pack: z.strictObject({
      rail: Rail,
      messages: z.array(
        z.strictObject({
          purpose: z.enum(purposes),
          text: z.string(),
          message_sha256: Digest.meta({ description: 'As record_message_sent takes it.' }),
        }),
      ),
      sample_package_url: z.string(),
      price_card: z.array(z.strictObject({ tier: Tier, total_usd: z.int().min(0) })),
      invitation_links: z
        .array(
          z.strictObject({
            pilot_id: PilotId,
            rail: Rail,
            tier: Tier,
            state: z.enum(pilotStates),
            response_url: z.string(),
            expires_at: Time,
          }),
        )
        .meta({
          description:
            'The open invitations of the prospect; the token of each was shown once, as it was made.',
        }),
      checkout_url: z.string().nullable().meta({ description: 'Of a live offer.' }),
    }),
    prospects: z.array(
      z.strictObject({
        prospect_id: ProspectId,
        label: z.string(),
        rail: Rail.nullable(),
        state: ProspectState,
      }),
    ),
    offset: z.int(),
    limit: z.int(),
  })
  .meta({ id: 'OutreachPack' })

/** GET /api/first-pilot-outreach-pack: made from rails, prices and records at each call; it keeps and sends nothing. */
export const outreachPack = operation({
  id: 'outreach-pack',
  summary:
    'Read what to write next to a prospect, or the messages of a rail with its prices and sample, and who is open.',
  http: { method: 'GET', path: '/api/first-pilot-outreach-pack', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({
    rail: Rail.optional().meta({ description: 'That of the prospect unless given.' }),
    prospect_id: ProspectId.optional(),
    ...pageFields(6),
  }),
  output,
  handle: async ({ rail, prospect_id: prospectId, ...page }, { outreach }) => ({
    body: await outreach.pack({ rail, prospectId }, pageOf(page)),
  }),
})

const shared = {
  summary: 'Read how far the sprint under way is: numbers only, counted from the records.',
  access: 'public',
  output: Sprint,
} as const

/** GET /api/live-prospect-sprint. */
export const sprintRead = operation({
  id: 'sprint-read',
  ...shared,
  http: { method: 'GET', path: SPRINT_PATH, host: 'base' },
  input: z.strictObject({}),
  handle: async (_input, { prospects }) => ({ body: await prospects.sprint() }),
})

/** POST /api/live-prospect-sprint, mode `read_live_prospect_sprint`. */
export const readLiveProspectSprint = operation({
  id: 'read-live-prospect-sprint',
  ...shared,
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_live_prospect_sprint') }),
  handle: async (_input, { prospects }) => ({ body: await prospects.sprint() }),
})

/** POST /api/live-prospect-sprint, mode `record_sprint_summary`: the numbers are those of the records, whatever the note says. */
export const recordSprintSummary = operation({
  id: 'record-sprint-summary',
  summary: 'Sign the numbers of the sprint with a note; with close the next sprint begins.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  status: [201],
  errors: ['forbidden_material'],
  input: z.strictObject({
    mode: z.literal('record_sprint_summary'),
    note: freeText(4000, 1),
    close: z.boolean().default(false),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      sprint_id: SprintId,
      summary: z.strictObject({ ...numbers, note: z.string() }),
      receipt: Receipt,
    })
    .meta({ id: 'SprintSummary' }),
  handle: async ({ note, close }, context) => ({
    body: await context.prospects.summarise({ note, close }, callerIn(context).operatorCall),
  }),
})

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
    ...ProspectMove.shape,
    idempotency_key: IdempotencyKey,
  }),
  output: recorded,
  handle: async ({ mode: _mode, idempotency_key: _key, ...moved }, context) => ({
    body: await context.prospects.update(moved, callerIn(context).operatorCall),
  }),
})
