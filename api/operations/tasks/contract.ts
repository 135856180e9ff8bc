import { z } from 'zod'
import { recordKinds } from '#domain/core/record-kinds.ts'
import { Reading } from '#domain/rails/input/reading.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { Rail } from '../../shapes/agents.ts'
import { postsOf } from '../../shapes/callbacks.ts'
import { Entitlement } from '../../shapes/credit.ts'
import { PaymentChallenge, QuoteId, quoteToken } from '../../shapes/payments.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { dryReadInput, InputManifest, inputErrors } from '../../shapes/task-inputs.ts'
import {
  CallbackUrl,
  Check,
  Contract,
  ContractId,
  LedgerEntry,
  OnGaps,
  RuntimeRecord,
  Task,
  TaskToken,
  TaskUsage,
  Tier,
} from '../../shapes/tasks.ts'

/** POST /api/agents/contracts/{contract_id} on the OS host: the agent's registered key accepts the digest of the terms. */
export const contractAccept = operation({
  id: 'contract-accept',
  summary: 'Accept a contract with a signature over its id and the digest of its terms.',
  http: { method: 'POST', path: '/api/agents/contracts/{contract_id}', host: 'os' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  gate: { rails: 'controlled_loop', callback: 'if_given' },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  errors: [
    ...([
      'not_found',
      'not_owner',
      'proof_invalid',
      'wrong_state',
      'terms_mismatch',
      'expired',
    ] as const),
    ...([
      'quote_mismatch',
      'quote_expired',
      'credit_exhausted',
      'already_funded',
      'payment_pending',
    ] as const),
    ...(['trust_required', 'rail_not_allowed', 'callback_refused'] as const),
  ],
  input: z.strictObject({
    contract_id: ContractId,
    terms_sha256: Digest,
    quote_id: QuoteId.optional().meta({
      description: 'What the run is paid by: its challenge is opened at once.',
    }),
    ...quoteToken,
    signature: z
      .string()
      .regex(/^[A-Za-z0-9_-]{86}$/)
      .meta({
        description:
          'Ed25519, 64 bytes as base64url, of three lines joined with LF: service-agent-acceptance-v1, contract-id: <id>, terms-sha256: <digest>.',
      }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      contract: Contract,
      task: Task,
      entitlement: Entitlement.nullable(),
      challenge: PaymentChallenge.nullable().meta({
        description: 'What is to be paid; null where nothing is.',
      }),
    })
    .meta({ id: 'AcceptedContract' }),
  authorize: (input, context) =>
    context.taskContracts.assertSigned(callerIn(context).taskActor, input),
  handle: async ({ idempotency_key: _key, ...input }, context) => {
    const writer = context.caller.kind === 'agent' ? callerIn(context).writer : undefined
    const by = { ...callerIn(context).taskActor, writer }
    await context.taskContracts.accept(by, input, context.callId)
    return answeredByService
  },
})

/** POST /api/agents/contracts on the OS host: the terms of a task, which its agent has 24 hours to accept. */
export const contractPrepare = operation({
  id: 'contract-prepare',
  summary:
    'Prepare the contract of a task that passed its preflight; answers with its terms and a signed receipt.',
  http: { method: 'POST', path: '/api/agents/contracts', host: 'os' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  status: [201],
  errors: ['not_found', 'not_owner', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    task_token: TaskToken,
    acceptance_criteria: z.array(freeText(500, 1)).min(1).max(20).optional(),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ contract: Contract, receipt: Receipt }).meta({ id: 'PreparedContract' }),
  authorize: async ({ task_token }, context) => {
    await context.tasks.ofToken(callerIn(context).taskActor, task_token)
  },
  handle: async ({ task_token, acceptance_criteria = [] }, context) => {
    await context.taskContracts.prepare(
      callerIn(context).taskActor,
      { task_token, acceptance_criteria },
      context.callId,
    )
    return answeredByService
  },
})

/** GET /api/agents/contracts/{contract_id} on the OS host. */
export const contractRead = operation({
  id: 'contract-read',
  summary: 'Read a contract: its terms, its state, and the run contract once that is sealed.',
  http: { method: 'GET', path: '/api/agents/contracts/{contract_id}', host: 'os' },
  access: ['agent', 'status', 'operator'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk'], signed: false },
  errors: ['not_found', 'not_owner'],
  input: z.strictObject({ contract_id: ContractId }),
  output: z.strictObject({ contract: Contract }).meta({ id: 'ContractAsRead' }),
  handle: async ({ contract_id }, context) => ({
    body: await context.taskContracts.read(callerIn(context).taskActor, contract_id),
  }),
})

/** POST /api/agents/preflight on the OS host: begins a task and checks the request before the service commits to it. */
export const preflight = operation({
  id: 'preflight',
  summary:
    'Begin a task: what is to be run, on which input, is checked; answers with the task’s token.',
  http: { method: 'POST', path: '/api/agents/preflight', host: 'os' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  statusToken: { prefixes: ['st'], signed: true },
  limits: { bodyBytes: 1_048_576 },
  status: [201],
  errors: [...inputErrors, 'rail_not_allowed', 'trust_required', 'callback_refused'],
  uses: ({ callback_url }) => ({ tasks: 1, workflows: 2, posts: postsOf(callback_url) }),
  input: z
    .strictObject({
      rail: Rail,
      tier: Tier,
      input_manifest: InputManifest.optional().meta({
        description:
          'What the run is on. Without it the digest of `input` is announced. Alone it is taken for synthetic runs only.',
      }),
      input: dryReadInput('anything is begun').optional(),
      objective: freeText(2000, 1),
      callback_url: CallbackUrl.optional(),
      usage: TaskUsage.default('operational'),
      on_gaps: OnGaps,
      idempotency_key: IdempotencyKey,
    })
    .refine(({ input, input_manifest }) => input !== undefined || input_manifest !== undefined, {
      message: 'give input_manifest, input or both',
    })
    .meta({ anyOf: [{ required: ['input_manifest'] }, { required: ['input'] }] }),
  output: z
    .strictObject({
      task: Task,
      task_token: TaskToken.meta({
        description: 'Reads the task; acts need the registered key or the access key.',
      }),
      links: z.record(z.string(), z.string()),
      checks: z.array(Check),
      blocking: z
        .array(z.string())
        .meta({ description: 'The checks that failed; the task is closed then.' }),
      readings: z.array(z.strictObject({ list: z.string(), reading: Reading })).meta({
        description:
          'How each uploaded list was read: its form, columns, number and date forms, unit, and what was left out. Correct it with `columns`, `constants`, `units`, `dates`, `numbers` or `leave_out` in the input.',
      }),
    })
    .meta({ id: 'Preflight' }),
  authorize: ({ rail }, context) =>
    context.tasks.assertRail(callerIn(context).requiredAgentId, rail),
  handle: async ({ idempotency_key: _key, callback_url = null, ...asked }, context) => {
    await context.tasks.preflight(
      callerIn(context).requiredAgentId,
      { ...asked, callback_url },
      context.callId,
    )
    return answeredByService
  },
  reveal: (answer, context) => context.tasks.withTaskToken(answer, context.callId),
})

/** GET /api/agents/tasks/{token}/ledger on the OS host: every transition of the task, the oldest first. */
export const taskLedger = operation({
  id: 'task-ledger',
  summary: 'Read a task, its hash-chained ledger and the runtime records behind it.',
  http: { method: 'GET', path: '/api/agents/tasks/{token}/ledger', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: false },
  input: z.strictObject({
    kind: z.enum(recordKinds).optional().meta({
      description: 'Leaves the records of this kind; also those of the ledger.',
    }),
    from_sequence: z
      .string()
      .regex(/^[1-9][0-9]{0,8}$/)
      .optional(),
    limit: z
      .string()
      .regex(/^([1-9][0-9]?|1[0-9][0-9]|200)$/)
      .optional()
      .meta({ description: '1 to 200, which is what it is unless given.' }),
  }),
  output: z
    .strictObject({
      task: Task,
      entries: z.array(LedgerEntry),
      head_hash: Digest,
      records: z.array(RuntimeRecord).meta({
        description:
          'The runtime records behind the task, by kind; its entries are those of kind lifecycle_event.',
      }),
      complete: z.boolean().meta({ description: 'Whether the entries reach the head.' }),
    })
    .meta({ id: 'TaskLedger' }),
  handle: async ({ kind, from_sequence = '1', limit = '200' }, context) => {
    const page = { from: Number(from_sequence), most: Number(limit), kind }
    return { body: await context.tasks.ledger(callerIn(context).subjectId, page) }
  },
})
