import { z } from 'zod'
import {
  authorRoles,
  entryKinds,
  pilotPayments,
  pilotSources,
  pilotStates,
} from '#domain/pilots/pilot.ts'
import { Digest, freeText, Time } from '../fields.ts'
import { AccountId } from './accounts.ts'
import { Rail } from './agents.ts'
import { contractSchema } from './contract.ts'
import { Tier } from './payments.ts'
import { Run } from './runs.ts'
import { WorkOrderId } from './work-orders.ts'

export const PilotId = z.string().regex(/^pl_[0-9a-f]{64}$/)
export const PilotToken = z.string().regex(/^pt_[A-Za-z0-9_-]{43}$/)

export const RESPONSE_PATH = '/api/pilot-invitation-response-workflow'
export const PilotClientInput = z.strictObject({
  name: freeText(120, 1),
  contact: freeText(200, 1),
})

/** A pilot as its client and operators see it. */
export const Pilot = z
  .strictObject({
    pilot_id: PilotId,
    source: z.enum(pilotSources),
    rail: Rail,
    tier: Tier,
    total_usd: z.int().min(0),
    client: z.strictObject({
      name: z.string(),
      account_id: AccountId.nullable(),
      customer_account: z.string().nullable().meta({
        description: 'As the agent of an offer or controlled pilot names whom its run is for.',
      }),
    }),
    objective: z.string(),
    workflow_description: z.string().nullable(),
    desired_start: z.iso.date().nullable(),
    state: z.enum(pilotStates),
    work_order_id: WorkOrderId.nullable().meta({ description: 'Of its intake.' }),
    run_work_order_id: WorkOrderId.nullable().meta({
      description: 'Of its run: an operator decides about it with the input of the run.',
    }),
    runs: z.array(z.string()).meta({ description: 'The id of its first run, once it has begun.' }),
    payment: z.enum(pilotPayments).meta({
      description:
        'What became of the money for its first run: applied to its result, reserved for it, returned to where it came from, or left to its agent as credit.',
    }),
    next_step: z.string(),
    created_at: Time,
  })
  .meta({ id: 'Pilot' })

/** The run of a pilot without the token of its task, which is its agent's. */
export const RunOfPilot = Run.omit({ task_token: true, links: true }).meta({ id: 'RunOfPilot' })

/** One entry of what was said about a pilot; each names the hash of the one before. */
export const PilotEntry = z
  .strictObject({
    entry_id: z.string().regex(/^pe_[0-9a-f]{64}$/),
    number: z.int().min(1),
    at: Time,
    author_role: z.enum(authorRoles),
    kind: z.enum(entryKinds),
    text: z.string(),
    text_sha256: Digest,
    next_step: z.boolean(),
    due_at: Time.nullable(),
    prev_hash: Digest,
  })
  .meta({ id: 'PilotEntry' })

/** The contract view of a path of pilots. */
export const pilotContract = <More extends z.ZodRawShape>(more: More) =>
  contractSchema('Open pilots by state.', more)
