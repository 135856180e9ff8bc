import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { requestedTools } from '#domain/rails/rail.ts'
import { DATA_DECLARATION } from '#domain/tasks/data-declaration.ts'
import {
  exchangeClaimStates,
  intakeKinds,
  SERVICE_OS,
  workOrderStates,
} from '#domain/work-orders/work-order.ts'
import { Digest, freeText, IdempotencyKey, ReceiptId, Time } from '../fields.ts'
import { AgentId, Rail } from './agents.ts'
import { QuoteId, quoteToken, ReferenceId } from './payments.ts'
import { RunId } from './runs.ts'
import { CallbackUrl, Tier } from './tasks.ts'

/** How an order is put on the exchange. */
const OnExchange = z.strictObject({
  deadline: Time.meta({
    description: `Until when agents may claim and deliver it, at most ${limits.exchangeSecondsMax / 86_400} days ahead; then the service does the work itself.`,
  }),
  reward_note: freeText(200).default(''),
})

export const WorkOrderId = z.string().regex(/^wo_[0-9a-f]{64}$/)
const ToolId = z.enum([SERVICE_OS, ...requestedTools])
export const RunInput = z.record(z.string(), z.unknown()).meta({ 'x-free-text': true })
const Requester = z.union([
  z.strictObject({ name: freeText(120, 1), contact: freeText(200, 1) }),
  z.strictObject({ agent_id: AgentId }),
])

/** What an order is asked for with. */
export const WorkOrderInput = z
  .strictObject({
    intake_kind: z.enum(intakeKinds),
    requested_tool_id: ToolId,
    objective: freeText(4000, 1),
    input: RunInput.optional().meta({
      description: 'Of the one run; service_os has steps instead.',
    }),
    steps: z
      .array(z.strictObject({ rail: Rail, input: RunInput }))
      .min(1)
      .max(8)
      .optional(),
    tier: Tier.default('standard'),
    quote_id: QuoteId.optional(),
    ...quoteToken,
    payment_reference_id: ReferenceId.optional(),
    requester: Requester,
    callback_url: CallbackUrl.optional(),
    acceptance_criteria: z.array(freeText(500, 1)).max(20).default([]),
    exchange: OnExchange.optional().meta({
      description:
        'Puts the order on the exchange once it is approved and paid: any agent then reads its objective and criteria, and the one that claims it its input.',
    }),
    data_declaration: z.literal(DATA_DECLARATION).meta({
      description:
        'The sender declares that the input holds no regulated records and no confidential production client data. Nothing here detects them.',
    }),
    idempotency_key: IdempotencyKey,
  })
  .refine(
    ({ requested_tool_id, input, steps, quote_id, exchange }) =>
      requested_tool_id === SERVICE_OS
        ? steps !== undefined && (input ?? quote_id ?? exchange) === undefined
        : steps === undefined && input !== undefined,
    {
      message:
        'service_os takes steps, is quoted by run and is not exchanged; every other tool takes one input',
    },
  )
  .meta({ oneOf: [{ required: ['input'] }, { required: ['steps'] }] })

/** An order as its requester sees it; its state follows from its decision and its tasks. */
export const WorkOrder = z
  .strictObject({
    work_order_id: WorkOrderId,
    intake_kind: z.enum(intakeKinds),
    state: z.enum(workOrderStates),
    requested_tool_id: ToolId,
    rail: Rail.nullable(),
    objective: z.string(),
    requester: Requester,
    agent_id: AgentId.nullable(),
    run_id: z.string().nullable().meta({ description: 'Of an order with one run.' }),
    run_ids: z.array(z.string()),
    review: z.strictObject({
      state: z.enum(['waiting', 'approved', 'rejected']),
      decision_id: z.string().nullable(),
    }),
    continued_by: WorkOrderId.nullable().meta({
      description: 'Of the intake of a pilot: the order of its run, whose state and run it has.',
    }),
    created_at: Time,
  })
  .meta({ id: 'WorkOrder' })

/** Names a proposal as the order shows it. */
export const namedProposal = {
  work_order_id: WorkOrderId,
  run_id: RunId,
  proposed_input_sha256: Digest.meta({
    description: 'Of the input as the order shows it; another proposal is 409.',
  }),
}

/** An input that an operator proposes for a stopped run of an order. */
export const Proposal = z
  .strictObject({
    run_id: RunId,
    exception_id: z.string(),
    reason: z.string(),
    input_sha256: Digest.meta({ description: 'Of the input that the run had.' }),
    proposed_input_sha256: Digest,
    proposed_input: z.looseObject({}),
  })
  .meta({ id: 'WorkOrderProposal' })

export const ClaimId = z.string().regex(/^xc_[0-9a-f]{64}$/)
export const Claim = z
  .strictObject({
    claim_id: ClaimId,
    work_order_id: WorkOrderId,
    agent_id: AgentId,
    state: z.enum(exchangeClaimStates),
    claimed_at: Time,
    expires_at: Time,
    delivered_at: Time.nullable(),
    ended_at: Time.nullable(),
    reason: z.string().nullable(),
    terms_sha256: Digest.nullable().meta({
      description: 'Of the terms of the contract that the claim accepted.',
    }),
    receipt_id: ReceiptId.nullable().meta({ description: 'Of the delivery.' }),
  })
  .meta({ id: 'WorkOrderClaim' })
