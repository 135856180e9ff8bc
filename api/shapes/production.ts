import { z } from 'zod'
import { successConditions } from '#domain/production/first-paid-run.ts'
import { gateChecks } from '#domain/production/write-gate.ts'
import { freeText, ReceiptId, Time } from '../fields.ts'
import { toolNames } from '../tool-names.ts'
import { Rail, Scope } from './agents.ts'
import { PaymentChallenge, ReferenceId } from './payments.ts'
import { Receipt } from './receipts.ts'
import { fundingFields, operationalUsage, Run, RunId, startErrors, startFields } from './runs.ts'
import { CallbackUrl, TaskState } from './tasks.ts'

export const AuditEventId = z.string().regex(/^aud_[0-9a-f]{64}$/)

const GateCheckName = z.enum(gateChecks)
export const GateCheck = z
  .strictObject({ check: GateCheckName, ok: z.boolean(), detail: z.string() })
  .meta({ id: 'GateCheck' })

const count = z.int().min(0)
/** The gate as it stands now. */
export const WriteGateContract = z
  .strictObject({
    checks: z.array(z.strictObject({ check: GateCheckName, rule: z.string() })),
    allowed_rails: z.array(Rail),
    operations_behind_gate: z.array(
      z.strictObject({
        operation_id: z.string(),
        method: z.string(),
        path: z.string(),
        tool: z.enum(toolNames).nullable(),
        scopes: z.array(Scope),
        rails: z.array(Rail),
        callback: z.enum(['required', 'if_given']),
        written: count.meta({ description: 'Writes that passed.' }),
        validated: count.meta({ description: 'Validations that passed.' }),
        refused: count.meta({ description: 'Validations that did not pass.' }),
      }),
    ),
    paused: z
      .string()
      .nullable()
      .meta({ description: 'Why the service takes no new work now; null where it does.' }),
    event: z
      .strictObject({
        audit_event_id: AuditEventId,
        kind: z.enum(['validated', 'written', 'refused']),
        operation_id: z.string(),
        rail: Rail,
        subject: z.string().meta({ description: 'What was written or refused.' }),
        passed: z.boolean(),
        code: z.string().nullable().meta({ description: 'Why it was refused.' }),
        checks: z.array(z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })),
        at: Time,
      })
      .nullable()
      .meta({ description: 'The event that audit_event_id names.' }),
  })
  .meta({ id: 'WriteGate' })

const Condition = z.enum(successConditions)
const SuccessCondition = z
  .strictObject({
    condition: Condition,
    met: z.boolean(),
    evidence_id: z.string().nullable().meta({ description: 'The record that shows it.' }),
    detail: z.string(),
  })
  .meta({ id: 'SuccessCondition' })

/** What starts an operational run for a customer account. */
export const customerStart = {
  ...startFields,
  ...fundingFields,
  customer_account: freeText(160, 1),
  callback_url: CallbackUrl,
  usage: operationalUsage,
}

/** What every start of a production run may be refused with. */
export const productionErrors = [...startErrors, 'already_funded', 'challenge_expired'] as const

/** What a start answers in addition to the run. */
export const startedRun = {
  challenge: PaymentChallenge.nullable().meta({
    description: 'What is still to be confirmed; null once it is funded.',
  }),
}

/** What a production run binds, with the checks that its write passed. */
export const boundRun = {
  binding: z
    .strictObject({
      customer_account: z.string(),
      work_order_id: z.string().nullable(),
      payment_reference_id: ReferenceId.nullable(),
      return_package_id: z.string().nullable(),
      receipt_id: ReceiptId.nullable().meta({ description: 'The usage receipt of the run.' }),
      completion_state: TaskState.meta({
        description:
          'The state of the run; `closed` means that it completed. A run that ended before its receipts were issued stays `failed` here, although its own state is `closed`.',
      }),
    })
    .meta({ id: 'ProductionBinding' }),
  run: Run,
  gate: z.strictObject({ checks: z.array(GateCheck) }),
  audit_event_id: AuditEventId,
}

/** Such a run with the conditions that it completed with. */
export const productionRun = {
  ...boundRun,
  success_condition: z.array(SuccessCondition).length(8),
  reached: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether all conditions are met; null until the run closes.' }),
  publication_consent: z.boolean(),
  receipt: Receipt.nullable().meta({
    description: 'Of kind production_run, with the conditions; null until the run closes.',
  }),
}

export const FirstPaidRunContract = z
  .strictObject({
    success_condition: z.array(Condition),
    rails: z.array(Rail),
    reached: z.boolean().meta({ description: 'Whether any run has met all conditions.' }),
    first_run_id: RunId.nullable().meta({
      description: 'The first such run, with the consent of its agent.',
    }),
    runs: z.strictObject({ running: count, reached: count, unmet: count }),
  })
  .meta({ id: 'FirstPaidRunContract' })
