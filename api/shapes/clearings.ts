import { z } from 'zod'
import { paymentMethods } from '#domain/core/payment-methods.ts'
import { runUsages } from '#domain/core/usage.ts'
import {
  clearingChecks,
  clearingDecisions,
  clearingOutcomes,
  proofStates,
} from '#domain/runs/clearing.ts'
import { taskStates } from '#domain/tasks/lifecycle.ts'
import { Digest, freeText, ReceiptId, Time } from '../fields.ts'
import { Rail } from './agents.ts'
import { ReferenceId } from './payments.ts'
import { Receipt } from './receipts.ts'
import { RunId } from './runs.ts'

export const ClearingId = z.string().regex(/^cl_[0-9a-f]{64}$/)

/** What a run is to clear: `null` is not asked for. */
export const Obligation = z.strictObject({
  statement: freeText(2000, 1),
  due_at: Time.nullable().default(null),
  amount_usd: z.int().min(0).max(1_000_000).nullable().default(null),
})
export const PolicyScope = z.strictObject({
  rails: z.array(Rail).min(1).max(8).nullable().default(null),
  amount_usd_max: z.int().min(0).max(1_000_000).nullable().default(null),
  data: freeText(500).nullable().default(null),
})

const Check = z.strictObject({
  check: z.enum(clearingChecks),
  outcome: z.enum(clearingOutcomes),
  detail: z.string(),
})

/** The return object of the clearing spine, with the members that Doc 1 (Resources) lists. */
export const Clearing = z
  .strictObject({
    clearing_id: ClearingId,
    obligation_object: Obligation,
    evidence_envelope: z.strictObject({
      run_id: RunId,
      usage: z.enum(runUsages),
      task_state: z.enum(taskStates),
      ledger_head: Digest,
      ledger_entries: z.int().min(0),
      contract_id: z.string().nullable().meta({
        description: 'The accepted contract whose promises the statement is compared with.',
      }),
      terms_sha256: Digest.nullable(),
      return_package_id: z.string().nullable(),
      manifest_sha256: Digest.nullable(),
      proof_hash: Digest.nullable(),
      settlement_receipt_id: ReceiptId.nullable(),
      usage_receipt_id: ReceiptId.nullable(),
      envelope_sha256: Digest.meta({
        description: 'Of the other members and the checks, as canonical JSON (RFC 8785).',
      }),
      checks: z.array(Check),
    }),
    policy_scope: PolicyScope,
    payment_reference: z
      .strictObject({
        payment_reference_id: ReferenceId,
        method: z.enum(paymentMethods),
        amount_usd: z.int(),
        state: z.string().meta({ description: 'When the run was cleared.' }),
        settlement_receipt_id: ReceiptId.nullable(),
      })
      .nullable(),
    run_receipt: Receipt.meta({ description: 'Of kind clearing, over run and envelope.' }),
    proof_state: z.enum(proofStates),
    clearing_decision: z.enum(clearingDecisions),
    retry_available: z.boolean(),
    handoff_ready: z.boolean(),
    next_endpoint: z.string(),
  })
  .meta({ id: 'Clearing' })
