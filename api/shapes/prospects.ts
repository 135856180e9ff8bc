import { z } from 'zod'
import {
  channels,
  prospectStates,
  recordedStates,
  sprintTarget,
} from '#domain/prospects/prospect.ts'
import { Digest, freeText, Time } from '../fields.ts'
import { AgentId, Rail } from './agents.ts'

export const SPRINT_PATH = '/api/live-prospect-sprint'
export const ProspectId = z.string().regex(/^ps_[0-9a-f]{64}$/)
export const ProspectState = z.enum(prospectStates)
const Channel = z.enum(channels)

const count = z.int().min(0)
const Actual = z.strictObject({
  messages_sent: count,
  qualified_conversations: count,
  paid_runs: count.meta({ description: 'Of prospects: completed, with a verified payment.' }),
})
export const numbers = {
  target: z.strictObject({
    messages_sent: z.literal(sprintTarget.messages_sent),
    qualified_conversations: z.literal(sprintTarget.qualified_conversations),
    paid_runs: z.literal(sprintTarget.paid_runs),
  }),
  actual: Actual,
  met: z.boolean(),
  started_at: Time.nullable().meta({ description: 'Null before the first prospect.' }),
}
export const SprintId = z.string()
export const Sprint = z.strictObject({ sprint_id: SprintId, ...numbers }).meta({ id: 'Sprint' })

/** Whose paid runs are those of the prospect; bound once. */
const binding = {
  agent_id: AgentId.optional().meta({ description: 'The agent whose runs are those of it.' }),
  customer_account: freeText(160, 1)
    .optional()
    .meta({ description: 'Only runs of this account of the agent.' }),
}

/** What was written to a prospect or by it, how it moved, and whose it became. */
export const ProspectEvent = z.strictObject({
  seq: z.int(),
  event: z.enum(['created', 'message_sent', 'message_received', 'moved', 'bound']),
  state: z.enum(recordedStates),
  message_sha256: Digest.nullable(),
  sent_at: Time.nullable(),
  channel: Channel.nullable(),
  cites: Digest.nullable().meta({
    description: 'What the prospect wrote, which a move to replied or qualified rests on.',
  }),
  pilot_id: z.string().nullable().meta({
    description: 'Of the invitation to its pilot, or of the pilot whose checkout bound it.',
  }),
  agent_id: AgentId.nullable().meta({ description: 'Bound by this.' }),
  customer_account: z.string().nullable(),
  reason: z.string().nullable(),
  operator: z.string().nullable().meta({ description: 'Null for the checkout of its pilot.' }),
  at: Time,
})

export const Prospect = z
  .strictObject({
    prospect_id: ProspectId,
    label: z.string(),
    channel: Channel,
    rail: Rail.nullable(),
    contact_reference: z.string().nullable(),
    agent_id: AgentId.nullable(),
    customer_account: z.string().nullable(),
    state: ProspectState.meta({
      description: 'The paid states follow from offers, payments and runs, and from nothing else.',
    }),
    rests_on: z.int().nullable().meta({
      description:
        'The entry of the history that the state rests on: the one that led to it, or for a paid state the binding.',
    }),
    created_at: Time,
    history: z.array(ProspectEvent),
  })
  .meta({ id: 'Prospect' })
/** What operators say of a prospect. */
export const NewProspect = z.strictObject({
  label: freeText(160, 1),
  channel: Channel,
  rail: Rail.optional(),
  contact_reference: freeText(160, 1).optional(),
  ...binding,
})
export const SentMessage = z.strictObject({
  prospect_id: ProspectId,
  message_sha256: Digest,
  sent_at: Time,
  channel: Channel.optional().meta({ description: 'That of the prospect unless given.' }),
})
export const ProspectMove = z.strictObject({
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
})

export const recorded = z
  .strictObject({ prospect: Prospect, actual: Actual })
  .meta({ id: 'RecordedProspect' })
