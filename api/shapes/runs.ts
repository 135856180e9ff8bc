import { z } from 'zod'
import { verdicts } from '#domain/reviews/evidence.ts'
import { ResultContract } from '#domain/runs/return-package.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { Digest, freeText, IdempotencyKey, ReceiptId, Time } from '../fields.ts'
import { Rail } from './agents.ts'
import { postsOf } from './callbacks.ts'
import { EntitlementId, QuoteId, quoteToken, ReferenceId, WalletId } from './payments.ts'
import { Receipt } from './receipts.ts'
import { inputErrors } from './task-inputs.ts'
import {
  CallbackUrl,
  OnGaps,
  TaskId,
  TaskState,
  TaskToken,
  TaskUsage,
  Tier,
  waitShape,
} from './tasks.ts'

export const RunId = z.string().regex(/^run_[0-9a-f]{64}$/)

/** What a run has to meet, and what its reviewer or a check says of it. */
export const Criterion = z.strictObject({
  criterion: z.string(),
  met: z.boolean(),
  verdict: z.enum(verdicts),
  note: z.string().meta({ description: 'Of the reviewer, or of the check.' }),
})

const Loop = z.strictObject({
  step: z
    .enum(loopSteps)
    .nullable()
    .meta({ description: 'The one to take next; null before the work and after it.' }),
  index: z.int().nullable(),
  steps: z.array(
    z.strictObject({
      step: z.enum(loopSteps),
      state: z.enum([
        'to_do',
        'waits',
        'done',
        'refused',
        'too_complex',
        'gaps',
        'revise',
        'reject',
      ]),
      started_at: Time.nullable(),
      finished_at: Time.nullable(),
      output_sha256: Digest.nullable(),
      tries: z.int().min(0).meta({ description: 'How often it was begun.' }),
    }),
  ),
})

/** A run as its owner sees it: one task stands behind it, whose state it has. */
export const Run = z
  .strictObject({
    run_id: RunId,
    task_id: TaskId,
    task_token: TaskToken.meta({
      description: 'Reads the task on the OS host; acts need the key or the access key.',
    }),
    state: TaskState,
    ...waitShape,
    rail: Rail,
    tier: Tier,
    usage: TaskUsage,
    loop: Loop,
    work_order_id: z.string().nullable(),
    quote_id: z.string().nullable(),
    entitlement_id: z.string().nullable(),
    payment_reference_id: z.string().nullable(),
    return_package_id: z.string().nullable(),
    proof_hash: Digest.nullable(),
    completion_signature: z.string().nullable(),
    settlement_receipt_id: ReceiptId.nullable(),
    usage_receipt_id: ReceiptId.nullable(),
    links: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Run' })

/** How a path of runs is read: what it offers by anyone, a run by its agent. */
export const runRead = {
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk'], signed: false },
  errors: ['credential_required', 'not_found'],
} as const

/** The input of every operation that starts a paid run, without its funding. */
export const startFields = {
  rail: Rail,
  tier: Tier,
  quote_id: QuoteId,
  ...quoteToken,
  input: z.record(z.string(), z.unknown()).meta({
    'x-free-text': true,
    description: 'As /schemas/rail-input-<rail>.v1.json describes it.',
  }),
  callback_url: CallbackUrl.optional(),
  customer_account: freeText(160, 1).optional(),
  usage: TaskUsage.default('operational'),
  on_gaps: OnGaps,
  accept_terms: z.literal(true).meta({
    description:
      'Accepts the contract that is prepared for this run, and declares with it that the input holds no regulated records and no confidential production client data.',
  }),
  idempotency_key: IdempotencyKey,
}

/** What the start of a paid run may be refused with, whichever operation makes it. */
export const startErrors = [
  ...inputErrors,
  'payment_required',
  'payment_invalid',
  'payment_pending',
  'rail_not_allowed',
  'trust_required',
  'not_owner',
  'not_found',
  'quote_mismatch',
  'quote_expired',
  'amount_mismatch',
  'callback_refused',
  'credit_exhausted',
  'wallet_underfunded',
  'control_denied',
] as const

/** Of a start that takes no other runs. */
export const operationalUsage = startFields.usage
  .unwrap()
  .extract(['operational'])
  .default('operational')

/** What an agent names to pay for a run. */
export const fundingFields = {
  payment_reference_id: ReferenceId.optional().meta({
    description: 'A payment that was presented for this quote.',
  }),
  entitlement_id: EntitlementId.optional().meta({
    description: 'Credit that was funded for this quote.',
  }),
  wallet_id: WalletId.optional().meta({
    description: 'An allowance wallet, which pays the quote now.',
  }),
  ap2_mandate_reference: Digest.optional().meta({
    description: 'The SHA-256 of a mandate that was presented.',
  }),
}
const funding = Object.keys(fundingFields) as (keyof typeof fundingFields)[]

/** At most one way of funding is named. */
export const fundedOnce = (asked: Partial<Record<(typeof funding)[number], unknown>>): boolean =>
  funding.filter((name) => asked[name] !== undefined).length <= 1
export const FUNDED_TWICE = `give at most one of ${funding.join(', ')}`

/** What a run of the sandbox is asked for with. */
export const sandboxFields = {
  rail: Rail,
  input: z.record(z.string(), z.unknown()).optional().meta({
    'x-free-text': true,
    description:
      'As /schemas/rail-input-<rail>.v1.json describes it; without it, the sample of the rail.',
  }),
  callback_url: CallbackUrl.optional().meta({
    description: 'The demo receiver of this service, with a receiver name of your own.',
  }),
  idempotency_key: IdempotencyKey,
}

/** A run of the sandbox that has begun. */
export const sandboxStarted = {
  run: Run,
  status_token: TaskToken.meta({
    description: 'Reads the run, as X-Status-Token and in links; it also recovers it, if it stops.',
  }),
  callback_url: z.string().nullable(),
  receipts: z.array(Receipt),
  result_contract: ResultContract,
}

/** What every operation has that starts a run of the sandbox. */
export const sandboxStart = {
  access: 'public',
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  errors: [
    'input_rejected',
    'evidence_mismatch',
    'callback_refused',
    'forbidden_material',
    'paused',
  ],
  uses: ({ callback_url, fault }: { callback_url?: string | undefined; fault?: string }) => ({
    tasks: 1,
    workflows: 3,
    posts: postsOf(callback_url ?? (fault === 'callback_failure' ? 'the demo receiver' : null)),
  }),
} as const
