import { z } from 'zod'
import { successConditions } from '#domain/production/first-paid-run.ts'
import type { Context } from '../../context.ts'
import { freeText, ReceiptId } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { PaymentChallenge, ReferenceId } from '../payments/shapes.ts'
import { Run, RunId } from '../runs/shapes.ts'
import { fundingFields, operationalUsage, startErrors, startFields } from '../runs/start-fields.ts'
import { CallbackUrl, TaskState } from '../tasks/shapes.ts'
import { AuditEventId, GateCheck } from './gate-shapes.ts'

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

type CallFields = { accept_terms: unknown; idempotency_key?: unknown; usage: unknown }
/** What a call asks of its run, with the payment that it carries. */
export function askedOf<Given extends CallFields>(given: Given, context: Context) {
  const { accept_terms: _terms, idempotency_key: _key, usage: _used, ...asked } = given
  return { ...asked, carried_payment: context.carriedPayment() }
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

const count = z.int().min(0)
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
