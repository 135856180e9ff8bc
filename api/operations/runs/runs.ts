import { z } from 'zod'
import { receiptId } from '#domain/core/ids.ts'
import { WAIT_SECONDS_MAX } from '#domain/core/preference.ts'
import { callerIn } from '../../caller.ts'
import { encodedText, freeText, IdempotencyKey, ReceiptId } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { pageAnswer, pageInBody } from '../../page-fields.ts'
import { Rail } from '../../shapes/agents.ts'
import { Clearing, ClearingId, Obligation, PolicyScope } from '../../shapes/clearings.ts'
import { Receipt, sampled } from '../../shapes/receipts.ts'
import { TaskException } from '../../shapes/recovery.ts'
import { Run, RunId } from '../../shapes/runs.ts'
import { LedgerEntry, TaskState } from '../../shapes/tasks.ts'
import { AgentUsePack, agentUsePack } from './packages.ts'

/** POST /api/agent-use, mode `record_agent_use_receipt`: a receipt of a run is taken, or the run disputed. */
export const recordAgentUseReceipt = operation({
  id: 'record-agent-use-receipt',
  summary:
    'Acknowledge a receipt of your run; one that is not accepted stops the task as disputed, or is a dispute of the closed task.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'record_receipt',
  access: 'agent',
  needs: { scopes: ['runs:write'] },
  errors: ['not_found', 'not_owner', 'wrong_state', 'receipt_invalid', 'forbidden_material'],
  input: z
    .strictObject({
      mode: z.literal('record_agent_use_receipt'),
      run_id: RunId,
      receipt_id: ReceiptId.optional(),
      receipt: encodedText(8192)
        .optional()
        .meta({ description: 'The receipt itself, as a compact JWS.' }),
      accepted: z.boolean(),
      note: freeText(1000).default(''),
      idempotency_key: IdempotencyKey,
    })
    .refine(({ receipt_id, receipt }) => (receipt_id === undefined) !== (receipt === undefined), {
      message: 'give exactly one of receipt_id and receipt',
    })
    .meta({ oneOf: [{ required: ['receipt_id'] }, { required: ['receipt'] }] }),
  output: z
    .strictObject({
      acknowledgement: Receipt,
      ledger_entry: LedgerEntry.meta({
        description: 'The last of the task, or the one that stopped it.',
      }),
      dispute: TaskException.nullable(),
    })
    .meta({ id: 'AcknowledgedReceipt' }),
  handle: async (
    { run_id, receipt = '', receipt_id = receiptId(receipt), accepted, note },
    context,
  ) => {
    const input = { run_id, receipt_id, accepted, note }
    await context.runs.acknowledge(callerIn(context).taskActor, input, context.callId)
    return answeredByService
  },
})

/** The longest that a call waits for a run. */
const WAIT_MS_MAX = WAIT_SECONDS_MAX * 1000

const output = z.strictObject({ run: Run }).meta({ id: 'RunStatus' })

const reading = {
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk', 'wt'], signed: false },
  idempotency: { kind: 'read' },
} as const

/** POST /api/agent-use, mode `get_run_status`: a run as it is, or once it has moved. */
export const getRunStatus = operation({
  id: 'get-run-status',
  summary:
    'Read a run of your own; with wait_ms the answer comes when it moves, at the latest after that time.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'get_run_status',
  access: ['agent', 'status'],
  ...reading,
  errors: ['not_found'],
  input: z.strictObject({
    mode: z.literal('get_run_status'),
    run_id: RunId,
    wait_ms: z.int().min(0).max(WAIT_MS_MAX).default(0),
  }),
  output,
  handle: async ({ run_id, wait_ms }, context) => ({
    body: { run: await context.runs.runMoved(callerIn(context).taskActor, run_id, wait_ms) },
  }),
})

const read = z.union([output, AgentUsePack])

/** GET /api/agent-use: the pack; with a run id the caller's own run. */
export const agentUseRead = operation({
  id: 'agent-use-read',
  summary: 'Read what agents can buy and run by themselves, or a run of your own.',
  http: { method: 'GET', path: '/api/agent-use', host: 'base' },
  access: ['agent', 'status', 'public'],
  ...reading,
  errors: ['credential_required', 'not_found'],
  input: z.strictObject({ run_id: RunId.optional() }),
  output: read,
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) return { body: await agentUsePack(context) }
    return { body: { run: await context.runs.run(callerIn(context).runReader, run_id) } }
  },
})

/** POST /api/agent-use, mode `read_agent_use_runs`: the caller's own runs, the newest first. */
export const readAgentUseRuns = operation({
  id: 'read-agent-use-runs',
  summary: 'List your runs, the newest first, with how many are in which state.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:read'] },
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('read_agent_use_runs'),
    state: TaskState.optional(),
    rail: Rail.optional(),
    ...pageInBody(1_000_000),
  }),
  output: z
    .strictObject({
      items: z.array(Run),
      ...pageAnswer,
      totals: z
        .partialRecord(TaskState, z.int())
        .meta({ description: 'By state, of all that the filter takes.' }),
    })
    .meta({ id: 'AgentRuns' }),
  handle: async ({ state, rail, ...page }, context) => {
    const { offset, limit } = page
    const filter = { agentId: callerIn(context).requiredAgentId, state, rail }
    return { body: await context.runs.runs(filter, { offset, limit }) }
  },
})

const SampleClearing = z
  .strictObject({ ...sampled, clearing: Clearing })
  .meta({ id: 'SampleClearing' })

/** GET /api/agent-run-clearing-spine: a sample; asked for one, the caller’s own clearing, after its review if it had one. */
export const clearingRead = operation({
  id: 'clearing-read',
  summary:
    'Read a sample of a clearing, or a clearing of yours by its id or, the newest, by its run.',
  http: { method: 'GET', path: '/api/agent-run-clearing-spine', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk'], signed: false },
  errors: ['credential_required', 'not_found', 'unavailable'],
  input: z
    .strictObject({ clearing_id: ClearingId.optional(), run_id: RunId.optional() })
    .refine(({ clearing_id, run_id }) => clearing_id === undefined || run_id === undefined, {
      message: 'give clearing_id or run_id, not both',
    })
    .meta({ not: { required: ['clearing_id', 'run_id'] } }),
  output: z.union([Clearing, SampleClearing]),
  handle: async ({ clearing_id, run_id }, context) => {
    const named = clearing_id === undefined ? run_id && { run_id } : { clearing_id }
    if (!named) return { body: await context.clearings.sample() }
    callerIn(context).agentIdFor('a clearing is read by its agent')
    return { body: await context.clearings.read(callerIn(context).taskActor, named) }
  },
})

/** POST /api/agent-run-clearing-spine: one clearing for each head of the run’s ledger and state of its payment. */
export const clearingRun = operation({
  id: 'clearing-run',
  summary:
    'Clear a run of yours: its result, receipts, payment and scope, as they stand now, lead to a decision with a signed receipt.',
  http: { method: 'POST', path: '/api/agent-run-clearing-spine', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  limits: { addressPerMinute: 60 },
  status: [201],
  errors: ['not_found', 'contention', 'forbidden_material'],
  input: z.strictObject({
    run_id: RunId,
    obligation: Obligation,
    policy_scope: PolicyScope.prefault({}),
    idempotency_key: IdempotencyKey,
  }),
  output: Clearing,
  handle: async ({ run_id, obligation, policy_scope }, context) => ({
    body: await context.clearings.run({
      caller: callerIn(context).taskActor,
      runId: run_id,
      asked: { obligation, policy_scope },
      callId: context.callId,
    }),
  }),
})
