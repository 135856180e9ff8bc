import { z } from 'zod'
import { decisions } from '#domain/reviews/review.ts'
import { ReturnPackage } from '#domain/runs/return-package.ts'
import { callerIn } from '../../caller.ts'
import type { Context } from '../../context.ts'
import { ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../../shapes/agents.ts'
import { Method } from '../../shapes/payments.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { Criterion, RunId } from '../../shapes/runs.ts'
import { Check, Task } from '../../shapes/tasks.ts'
import { agentPricing } from '../quotes.ts'
import { VerificationPacket } from '../receipts.ts'

/** The eight modes of the document, in its order. */
export const agentUseModes = [
  'read_agent_use_pack',
  'quote_run',
  'create_payment_challenge',
  'start_agent_run',
  'get_run_status',
  'fetch_return_package',
  'record_agent_use_receipt',
  'read_agent_use_runs',
] as const

export const AgentUsePack = z
  .strictObject({
    modes: z.array(z.enum(agentUseModes)),
    rails: z.array(Rail),
    prices: agentPricing.output,
    accepted_methods: z.array(Method),
    sequence: z.array(z.string()),
    example_bodies: z.record(z.enum(agentUseModes), z.looseObject({})),
  })
  .meta({ id: 'AgentUsePack' })

const sequence = [
  'quote_run: what the run costs, for 24 hours; with your access key the quote is yours, without it keep quote_token',
  'create_payment_challenge: a 402 with the ways to pay; or start at once and get the same challenge',
  'POST /api/agent-payment-rail: the payment, named by its reference; nothing is funded before it is confirmed',
  'start_agent_run: one run for each idempotency key, however often it is sent; unpaid it is a 402 that an x402 client pays by itself',
  'an operator reviews what is asked for, and later what was done',
  'get_run_status with wait_ms until the run is attested',
  'fetch_return_package: the result, its proof hash and completion signature; as application/zip the same as files',
  'record_agent_use_receipt: taken, or disputed',
]

const id = (prefix: string) => `${prefix}_${'0'.repeat(64)}`

/** One body for each mode, as its schema takes it. */
function exampleBodies([rail]: Context['runs']['offered']): Record<
  (typeof agentUseModes)[number],
  Record<string, unknown>
> {
  const run_id = id('run')
  const quote = { rail: rail?.key, tier: 'standard' }
  return {
    read_agent_use_pack: { mode: 'read_agent_use_pack' },
    quote_run: { mode: 'quote_run', ...quote },
    create_payment_challenge: {
      mode: 'create_payment_challenge',
      quote_id: id('qt'),
      idempotency_key: 'run-7-pay',
    },
    start_agent_run: {
      mode: 'start_agent_run',
      ...quote,
      quote_id: id('qt'),
      input: rail?.sandboxInput,
      payment_reference_id: id('pr'),
      accept_terms: true,
      idempotency_key: 'run-7',
    },
    get_run_status: { mode: 'get_run_status', run_id, wait_ms: 20_000 },
    fetch_return_package: { mode: 'fetch_return_package', run_id, include_files: true },
    record_agent_use_receipt: {
      mode: 'record_agent_use_receipt',
      run_id,
      receipt_id: id('rc'),
      accepted: true,
      idempotency_key: 'run-7-taken',
    },
    read_agent_use_runs: { mode: 'read_agent_use_runs', state: 'closed', limit: 25 },
  }
}

export const agentUsePack = async ({ payments, quotes, runs: { offered } }: Context) => ({
  modes: [...agentUseModes],
  rails: offered.map(({ key }) => key),
  prices: await quotes.listPrices({ surface: 'agent' }),
  accepted_methods: payments.methods,
  sequence,
  example_bodies: exampleBodies(offered),
})

/** POST /api/agent-use, mode `read_agent_use_pack`. */
export const readAgentUsePack = operation({
  id: 'read-agent-use-pack',
  summary:
    'Read what agents can buy and run by themselves, in which order, with a body for each mode.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  access: 'public',
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_agent_use_pack') }),
  output: AgentUsePack,
  handle: async (_input, context) => ({ body: await agentUsePack(context) }),
})

const Report = z.strictObject({
  verdict: z.enum(['proven', 'refused', 'indeterminate']),
  checks: z.array(Check),
  keys: z.array(
    z.strictObject({
      kid: z.string(),
      standing: z.enum(['published', 'active', 'retired', 'revoked']),
    }),
  ),
})

/** A package with our judgement of it. */
const judgedShape = {
  return_package: ReturnPackage,
  completion: Report.meta({
    description:
      'Our own judgement of the package: each digest, the proof hash, and the signature.',
  }),
  verification_packet: VerificationPacket.meta({
    description: 'Of the attestation receipt of the run.',
  }),
}
/** Our judgement of the record of a task. */
const RecordReport = Report.meta({
  description:
    'Our own judgement of the record of the task: its ledger, documents, receipts and result.',
})

/** POST /api/agent-use, mode `fetch_return_package`: as JSON, or with `Accept: application/zip` as its files. */
export const fetchReturnPackage = operation({
  id: 'fetch-return-package',
  summary:
    'Fetch the result of an attested run with its proof; include_files adds the texts of its files.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'fetch_return_package',
  access: ['agent', 'status'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk', 'wt'], signed: false },
  errors: ['not_found', 'not_ready', 'wrong_state'],
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('fetch_return_package'),
    run_id: RunId,
    include_files: z.boolean().default(false),
  }),
  output: z
    .strictObject({
      ...judgedShape,
      next_actions: z
        .array(
          z.strictObject({
            action: z.enum(['fetch_receipt', 'verify_receipt', 'record_receipt']),
            method: z.enum(['GET', 'POST']),
            url: z.url(),
            purpose: z.string(),
          }),
        )
        .meta({
          description: 'What the attestation receipt of the run is good for, with its calls.',
        }),
      file_contents: z.record(z.string(), z.string()).nullable().meta({
        description:
          'With include_files: the files of the zip by name, as the very texts that were digested; report.html, README.md and tables/*.csv are for people.',
      }),
    })
    .meta({ id: 'FetchedReturnPackage' }),
  asFiles: ({ return_package }) => return_package,
  handle: async ({ run_id, include_files }, context) => {
    const { attestation, ...fetched } = await context.runs.returnPackage(
      callerIn(context).taskActor,
      run_id,
    )
    const file_contents = include_files
      ? await context.runs.packageTexts(fetched.return_package)
      : null
    const verification_packet = await context.receipts.verify({ receipt_id: attestation })
    return { body: { ...fetched, file_contents, verification_packet } }
  },
})

/** GET /api/agents/status/{token}/return-package: a page for browsers, JSON for programs; `as` makes either a file. */
export const returnPackageRead = operation({
  id: 'return-package-read',
  summary:
    'Read the return package of a task by its status link, with its order, reviews, receipts and checks.',
  http: { method: 'GET', path: '/api/agents/status/{token}/return-package', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['tk'], signed: false },
  errors: ['not_ready', 'wrong_state'],
  input: z.strictObject({
    as: z.enum(['json', 'zip']).optional().meta({
      description: 'Answers with a file of this form, whatever `Accept` says.',
    }),
  }),
  output: z
    .strictObject({
      task: Task,
      ordered: z.array(z.string()).meta({ description: 'The scope of the contract.' }),
      ...judgedShape,
      record: RecordReport,
      review_policy: z.enum(['sandbox_policy', 'operator_review']).nullable(),
      reviews: z
        .array(
          z.strictObject({
            decision_id: z.string(),
            subject_kind: z.string(),
            decision: z.enum(decisions),
            operator_name: z.string(),
            receipt_id: ReceiptId,
            decided_at: Time,
          }),
        )
        .meta({ description: 'What operators decided about the task and its run.' }),
      criteria: z.array(Criterion),
      receipts: z.array(Receipt).meta({
        description: 'Every receipt of the task, its run and its credit, the oldest first.',
      }),
    })
    .meta({ id: 'ReturnPackageRecord' }),
  asFiles: ({ return_package }) => return_package,
  handle: async ({ as }, context) => {
    const { subjectId } = callerIn(context).token
    const { attestation, ...read } = await context.runs.returnRecord(subjectId)
    const verification_packet = await context.receipts.verify({ receipt_id: attestation })
    const name = `${read.return_package.return_package_id}.json`
    const headers =
      as === 'json' ? { 'Content-Disposition': `attachment; filename=${name}` } : undefined
    return { body: { ...read, verification_packet }, ...(headers && { headers }) }
  },
})
