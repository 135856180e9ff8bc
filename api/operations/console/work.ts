import { z } from 'zod'
import { pilotSources, pilotStates } from '#domain/pilots/pilot.ts'
import { decisions, inboxActions, subjectKinds } from '#domain/reviews/review.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { recoverCommands } from '#domain/tasks/exception.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../../shapes/agents.ts'
import { Outcome, SearchText, waitingFields, waitingOf } from '../../shapes/console.ts'
import { Pilot } from '../../shapes/pilots.ts'
import { TakenStep } from '../../shapes/tasks.ts'

const Item = z
  .strictObject({
    action: z.enum(inboxActions).meta({ description: 'What a person has to do.' }),
    kind: z.string(),
    id: z.string(),
    state: z.string(),
    code: z.string().nullable().meta({ description: 'Of stopped work and of differences.' }),
    rail: z.string().nullable(),
    amount_usd: z.string().nullable().meta({ description: 'Money at stake.' }),
    summary: z.string(),
    waiting_since: Time,
    allowed_decisions: z.array(z.enum(decisions)),
    evidence_root_sha256: Digest.nullable().meta({ description: 'With `evidence_roots`.' }),
    criteria_sha256: Digest.nullable().meta({
      description:
        'Digest of the acceptance criteria, with `evidence_roots`; a batch takes equal ones.',
    }),
  })
  .meta({ id: 'InboxItem' })

/** GET /api/operator/inbox: everything that waits for a person, who waits longest first. */
export const inbox = operation({
  id: 'inbox',
  summary: 'List everything that waits for a person: decisions, stopped work and differences.',
  http: { method: 'GET', path: '/api/operator/inbox', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    action: z.enum(inboxActions).optional(),
    kind: z.enum(subjectKinds).optional().meta({ description: 'Only decisions of this kind.' }),
    code: z
      .string()
      .regex(/^[a-z_]{1,60}$/)
      .optional()
      .meta({ description: 'Only stopped work and differences with this code.' }),
    rail: Rail.optional(),
    evidence_roots: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Lists the root of the evidence of each decision, for a batch.' }),
    ...waitingFields,
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(Item),
      counts: z.array(
        z.strictObject({ action: z.enum(inboxActions), kind: z.string(), count: z.int() }),
      ),
      total: z.int(),
      offset: z.int(),
      limit: z.int(),
    })
    .meta({ id: 'Inbox' }),
  handle: async ({ action, kind, code, rail, evidence_roots, ...asked }, context) => {
    const evidenceRoots = evidence_roots === 'true'
    const filter = { action, kind, code, rail, ...waitingOf(asked) }
    return { body: await context.inbox.list({ ...filter, evidenceRoots, ...pageOf(asked) }) }
  },
})

const workLine = {
  kind: z.enum(['payout', 'task']),
  id: z.string(),
  state: z.string(),
  rail: z.string(),
  usage: z.string(),
  owner: z
    .string()
    .nullable()
    .meta({ description: 'The wallet that created the payout, or the agent of the task.' }),
  amount_usd: z.string().nullable(),
  created_at: Time,
}

/** GET /api/operator/work: payouts and tasks, the newest first. */
export const workList = operation({
  id: 'work-list',
  summary: 'Search payouts and tasks by id, agent, wallet, reference, transaction or state.',
  http: { method: 'GET', path: '/api/operator/work', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    kind: workLine.kind.optional(),
    state: z
      .string()
      .regex(/^[a-z_]{1,40}$/)
      .optional(),
    q: SearchText.optional().meta({
      description:
        'A whole id of a payout, task, run, agent, contract, quote or credit; an address, a reference, a transaction, or a rail.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(z.strictObject(workLine).meta({ id: 'WorkLine' })),
      offset: z.int(),
      limit: z.int(),
    })
    .meta({ id: 'WorkList' }),
  handle: async ({ kind, state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.work.list({ kind, state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})

const Event = z
  .strictObject({
    at: Time,
    what: z.enum(['state', 'receipt', 'transaction', 'step']),
    name: z.string(),
    detail: z.string(),
    reference: z
      .string()
      .nullable()
      .meta({ description: 'A receipt, transaction, hash or digest.' }),
    url: z.string().nullable().meta({ description: 'Where a block explorer shows it.' }),
  })
  .meta({ id: 'TimelineEvent' })
const Progress = z
  .strictObject({
    run_id: z.string(),
    step: z.enum(loopSteps).nullable().meta({ description: 'Null at the end of the run.' }),
    done: z.int().meta({ description: 'Steps that are done in this attempt.' }),
    of: z.int(),
    attempt: z.int(),
    round: z.int(),
    bytes_read: z.int().nullable().meta({ description: 'Of uploaded lists, by this step.' }),
    bytes_total: z.int().nullable(),
  })
  .meta({ id: 'RunProgress' })
const Trace = z
  .strictObject({
    trace_id: z.string(),
    url: z.string().nullable().meta({ description: 'Where the trace is shown.' }),
  })
  .meta({ id: 'WorkTrace' })

/** GET /api/operator/work/{id}: one payout or task, with everything that happened to it. */
export const workRead = operation({
  id: 'work-read',
  summary: 'Explain one payout or task: what it waits for, what happened, and what unblocks it.',
  http: { method: 'GET', path: '/api/operator/work/{id}', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({ id: text(1, 80) }),
  output: z
    .strictObject({
      ...workLine,
      explanation: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
        .meta({ description: 'What it waits for and what unblocks it, in reading order.' }),
      progress: Progress.nullable().meta({ description: 'Of the run of a task.' }),
      commands: z.array(z.enum(recoverCommands)),
      traces: z.array(Trace).meta({
        description: 'Of the calls that reached its workflow, the newest last.',
      }),
      timeline: z.array(Event),
      steps: z.array(TakenStep).meta({ description: 'Of the run of a task.' }),
      temporal_url: z.string().nullable(),
    })
    .meta({ id: 'WorkDetail' }),
  handle: async ({ id }, context) => ({ body: await context.work.read(id) }),
})

const PilotLine = z
  .strictObject({
    ...Pilot.shape,
    contact: z.string().nullable(),
    agent_id: z.string().nullable(),
    state_since: Time,
    waiting_since: Time.nullable().meta({
      description: 'Null where nothing waits for a decision.',
    }),
  })
  .meta({ id: 'PilotLine' })

/** GET /api/operator/pilots: the pilots of every source, controlled ones too, the newest first. */
export const pilotsList = operation({
  id: 'pilots-list',
  summary: 'List pilots of every source by rail, state, client or id, the newest first.',
  http: { method: 'GET', path: '/api/operator/pilots', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    q: SearchText.optional().meta({
      description: 'A whole id of a pilot, agent or work order, or a part of the name of a client.',
    }),
    rail: Rail.optional(),
    state: z.enum(pilotStates).optional(),
    source: z.enum(pilotSources).optional(),
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(PilotLine),
      offset: z.int(),
      limit: z.int(),
      total: z.int(),
    })
    .meta({ id: 'PilotLines' }),
  handle: async ({ q, rail, state, source, ...page }, { pilots }) => ({
    body: await pilots.list({ text: q, rail, states: state && [state], source }, pageOf(page)),
  }),
})

/** POST /api/operator/work: recovers stopped payouts and tasks, each with its signed receipt. */
export const recoveryAct = operation({
  id: 'recovery-act',
  summary: 'Wake or recover stopped payouts and tasks, or only try it; each gets an outcome.',
  http: { method: 'POST', path: '/api/operator/work', host: 'base' },
  access: 'operator',
  errors: ['forbidden_material'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    act: z.enum(recoverCommands),
    ids: z.array(text(1, 80)).min(1).max(100).meta({ description: 'Of payouts, tasks or runs.' }),
    reason: freeText(500, 1),
    input: z
      .looseObject({})
      .optional()
      .meta({ description: 'The whole input of the run, to supply evidence or to correct it.' }),
    dry_run: z.boolean().default(false),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ outcomes: z.array(Outcome) }).meta({ id: 'RecoveryOutcomes' }),
  handle: async ({ act, ids, reason, input, dry_run, idempotency_key: key }, context) => {
    const batch = { act, ids, reason, input, key, dryRun: dry_run }
    return { body: { outcomes: await context.work.act(callerIn(context).operator, batch) } }
  },
})
