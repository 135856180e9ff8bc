import { z } from 'zod'
import { runUsages } from '../core/usage.ts'
import { railKeys, tiers } from '../rails/rail.ts'
import { loopSteps } from './controlled-loop.ts'
import { taskExceptions } from './exception.ts'
import type { TaskEvent } from './lifecycle.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const reference = z.string().regex(/^[a-z]+_[A-Za-z0-9_-]{1,128}$/)
const at = z.iso.datetime()

/**
 * What is asked for when a task is submitted. `on_gaps`: `ask` stops the run where the input has gaps, so that evidence can
 * be supplied; `report` delivers what there is, with the gaps listed.
 */
export const taskTerms = z.strictObject({
  agent_id: reference.nullable(),
  rail: z.enum(railKeys),
  tier: z.enum(tiers),
  usage: z.enum(runUsages),
  on_gaps: z.enum(['ask', 'report']),
  callback_url: z.string().max(2048).nullable(),
  objective: z.string().max(2000),
  /** Digests of the canonical input; empty: any input that fits the rail. */
  input_manifest: z
    .array(z.strictObject({ name: z.string(), sha256, bytes: z.number().int().min(0) }))
    .max(200),
  /** The worker of a synthetic run fails until an exception has stopped the task once. */
  fault: z.literal('worker_exception').optional(),
})
export type TaskTerms = z.output<typeof taskTerms>

export type Check = { check: string; ok: boolean; detail: string }

/** What the preflight asks of the terms; `rail` says which runs the rail takes, and how many bytes the tier. */
export function preflightChecks(
  terms: TaskTerms,
  rail: { takes: readonly TaskTerms['usage'][]; bytesMax: number },
  callback: Omit<Check, 'check'>,
): Check[] {
  const { takes, bytesMax } = rail
  const only = takes.length === 0 ? 'no' : takes.join(' and ')
  const bytes = terms.input_manifest.reduce((sum, input) => sum + input.bytes, 0)
  return [
    { check: 'rail', ok: takes.includes(terms.usage), detail: `${terms.rail} takes ${only} runs` },
    {
      check: 'input_sizes',
      ok: bytes <= bytesMax,
      detail: `${bytes} bytes, of ${bytesMax} that the tier ${terms.tier} takes`,
    },
    { check: 'callback', ...callback },
  ]
}

const decided = z.strictObject({ decision_id: reference.optional() })
const nothing = z.strictObject({})
const checks = z.strictObject({
  checks: z.array(z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })),
})
const delivery = z.strictObject({ delivery_id: reference })

/** What each event carries: ids and digests only, because it stands in histories and in the ledger. */
export const taskEventData = {
  submit: z.strictObject({ terms_sha256: sha256 }),
  preflight_passed: checks,
  preflight_rejected: checks,
  contract_prepared: z.strictObject({
    contract_id: reference,
    terms_sha256: sha256,
    expires_at: at.optional(),
  }),
  contract_accepted: z.strictObject({ terms_sha256: sha256, acceptance_sha256: sha256.optional() }),
  contract_declined: nothing,
  contract_lapsed: nothing,
  trust_requested: nothing,
  trust_granted: decided,
  trust_denied: decided,
  quote_issued: z.strictObject({ quote_id: reference, expires_at: at.optional() }),
  credit_requested: z.strictObject({
    entitlement_id: reference,
    challenge_id: reference.optional(),
    expires_at: at.optional(),
  }),
  quote_lapsed: nothing,
  credit_funded: z.strictObject({
    settlement_receipt_id: reference,
    payment_reference_id: reference.optional(),
  }),
  credit_lapsed: nothing,
  enqueued: z.strictObject({
    review_decision: z.string(),
    input_sha256: sha256,
    run_contract_sha256: sha256,
  }),
  review_rejected: decided,
  started: z.strictObject({ run_id: reference }),
  evidence_missing: z.strictObject({ gaps: z.number().int().min(1) }),
  result_produced: z.strictObject({ return_package_id: reference, result_sha256: sha256 }),
  evidence_supplied: z.strictObject({
    input_sha256: sha256,
    /** Of the input that the task had before, where an operator proposed this one. */
    replaced_input_sha256: sha256.optional(),
    recovery_id: reference.optional(),
  }),
  evidence_waived: decided,
  result_attested: z.strictObject({ receipt_id: reference, proof_hash: sha256 }),
  receipts_issued: z.strictObject({
    usage_receipt_id: reference,
    /** Of the payment that funded the credit, which is older. */
    settlement_receipt_id: reference.optional(),
  }),
  callback_scheduled: delivery,
  callback_delivered: delivery,
  closed: nothing,
  exception_raised: z.strictObject({
    code: z.enum(Object.keys(taskExceptions) as [keyof typeof taskExceptions]),
    detail: z.string().max(2000),
    /** Of the input that an operator proposes; the agent accepts it by recovering the task with it. */
    proposed_input_sha256: sha256.optional(),
  }),
  input_proposed: z.strictObject({ proposed_input_sha256: sha256, note: z.string().max(2000) }),
  input_declined: z.strictObject({
    declined_input_sha256: sha256,
    reason: z.string().min(1).max(2000),
  }),
  replay_prepared: z.strictObject({
    action: z.string(),
    recovery_id: reference.optional(),
    /** The step that the run has reached, unless it starts again. */
    from_step: z.enum(loopSteps).optional(),
  }),
  replayed: z.strictObject({
    input_sha256: sha256.optional(),
    /** Of the input that the task had before. */
    replaced_input_sha256: sha256.optional(),
    recovery_id: reference.optional(),
  }),
  abandoned: z.strictObject({ recovery_id: reference.optional() }),
} as const satisfies Record<TaskEvent, z.ZodType>

export type TaskEventData = { [Event in TaskEvent]: z.output<(typeof taskEventData)[Event]> }

/** A transition that the service makes by itself, with the data of its event. */
export type OwnMove = {
  [Event in keyof TaskEventData]: { event: Event; data: TaskEventData[Event] }
}[keyof TaskEventData]
