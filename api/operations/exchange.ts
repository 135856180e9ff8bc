import { z } from 'zod'
import { WORK_ARTIFACT } from '#domain/work-orders/delivery.ts'
import { callerIn } from '../caller.ts'
import { Digest, freeText, IdempotencyKey, Time } from '../fields.ts'
import { answeredByService, operation } from '../operation.ts'
import { pageFields, pageOf } from '../page-fields.ts'
import { Rail } from '../shapes/agents.ts'
import { ItemName } from '../shapes/commerce.ts'
import { Receipt } from '../shapes/receipts.ts'
import { RunId } from '../shapes/runs.ts'
import { Check, Tier } from '../shapes/tasks.ts'
import { Claim, ClaimId, WorkOrder, WorkOrderId } from '../shapes/work-orders.ts'

const EXCHANGE_PATH = '/api/work-order-exchange'

/** What an agent accepts with a claim, and again with its delivery. */
const acceptTerms = z.literal(true).meta({
  description:
    'Accepts the terms of the contract of the order for its work, and declares that what it delivers is its own to give.',
})

/** An order that may be claimed. */
const OpenOrder = z
  .strictObject({
    work_order_id: WorkOrderId,
    rail: Rail,
    tier: Tier,
    objective_summary: z.string(),
    acceptance_criteria: z.array(z.string()),
    deadline: Time.meta({ description: 'Then the service does the work itself.' }),
    reward_note: z.string(),
  })
  .meta({ id: 'OpenWorkOrder' })

/** An order as an agent sees it that claims it: without the name and the contact of its requester. */
const ClaimedOrder = z
  .strictObject({
    ...WorkOrder.pick({ work_order_id: true, state: true, objective: true }).shape,
    acceptance_criteria: z.array(z.string()),
    deadline: Time,
    reward_note: z.string(),
  })
  .meta({ id: 'ClaimedWorkOrder' })

/** Names the input of a claimed order. */
const InputReference = z
  .strictObject({
    run_id: RunId,
    rail: Rail,
    tier: Tier,
    input_sha256: Digest.meta({ description: 'Of the RFC 8785 form of the input.' }),
    url: z.url().meta({ description: 'Reads the claim with its input while it is held.' }),
  })
  .meta({ id: 'WorkOrderInputReference' })

/** The package that is delivered; its parts are those of an inline package of a commerce proof, with their content. */
const DeliveredPackage = z
  .strictObject({
    artifacts: z
      .array(
        z.strictObject({
          name: ItemName,
          sha256: Digest,
          bytes: z.int().min(0).max(1_000_000).optional(),
          content: freeText(500_000, 1),
        }),
      )
      .min(1)
      .max(20)
      .meta({ description: `${WORK_ARTIFACT} is the work of the rail: result, findings, gaps.` }),
    claims: z
      .array(z.strictObject({ claim: freeText(500, 1), artifact: ItemName }))
      .max(50)
      .default([]),
  })
  .refine(
    ({ artifacts }) => new Set(artifacts.map((one) => one.name)).size === artifacts.length,
    'must not hold two artifacts of one name',
  )
  .refine(
    ({ artifacts }) => artifacts.some((one) => one.name === WORK_ARTIFACT),
    `must hold ${WORK_ARTIFACT}`,
  )
  .meta({ id: 'DeliveredPackage' })

/** POST /api/work-order-exchange, mode `claim_work_order`: of any number of agents, one gets the order. */
const exchangeClaim = operation({
  id: 'exchange-claim',
  summary: 'Claim an approved work order; you alone may deliver it until the claim expires.',
  http: { method: 'POST', path: EXCHANGE_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['exchange:write'] },
  gate: { rails: 'priced', callback: 'if_given' },
  status: [201],
  errors: [
    ...(['not_found', 'already_claimed', 'control_denied', 'wrong_state'] as const),
    ...(['trust_required', 'rail_not_allowed', 'rate_limited', 'paused'] as const),
  ],
  input: z.strictObject({
    mode: z.literal('claim_work_order'),
    work_order_id: WorkOrderId,
    accept_terms: acceptTerms,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ work_order: ClaimedOrder, claim: Claim, input_reference: InputReference })
    .meta({ id: 'ClaimedOnExchange' }),
  handle: async ({ work_order_id }, context) => {
    await context.exchange.claim(callerIn(context).writer, work_order_id, context.callId)
    return answeredByService
  },
})

/** POST /api/work-order-exchange, mode `deliver_work_order`: what was delivered is the worker's step of the run of the order. */
const exchangeDeliver = operation({
  id: 'exchange-deliver',
  summary:
    'Deliver a claimed work order. The validator of its rail decides whether it is taken, and an operator whether it becomes the result.',
  http: { method: 'POST', path: EXCHANGE_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['exchange:write'] },
  delegable: true,
  spendsUsd: async () => 0,
  delegatedRails: ({ claim_id }, { agentId, context }) =>
    context.exchange.railsOf(agentId, claim_id),
  gate: { rails: 'priced', callback: 'if_given' },
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  uses: () => ({ tasks: 1 }),
  errors: [
    ...(['not_found', 'wrong_state', 'evidence_mismatch'] as const),
    ...(['input_too_complex', 'trust_required', 'rail_not_allowed'] as const),
    ...(['rate_limited', 'unavailable', 'paused'] as const),
  ],
  input: z.strictObject({
    mode: z.literal('deliver_work_order'),
    work_order_id: WorkOrderId,
    claim_id: ClaimId,
    return_package: DeliveredPackage,
    handoff_pack: freeText(24_000, 1).optional(),
    accept_terms: acceptTerms,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      work_order: ClaimedOrder,
      claim: Claim,
      validation: z
        .strictObject({ checks: z.array(Check) })
        .meta({ description: 'Of the validator of the rail, which the run makes again.' }),
      review: z
        .strictObject({
          subject_kind: z.literal('loop_step'),
          subject_id: RunId,
          state: z.enum(['waiting', 'approved', 'rejected']),
        })
        .meta({ description: 'An operator reviews the result of the run.' }),
      receipt: Receipt,
    })
    .meta({ id: 'DeliveredToExchange' }),
  handle: async (
    { mode: _mode, accept_terms: _terms, idempotency_key: _key, ...asked },
    context,
  ) => ({
    body: await context.exchange.deliver(callerIn(context).writer, asked, {
      callId: context.callId,
      network: callerIn(context).computeNetwork,
    }),
    grantUsed: true,
  }),
})

/** GET /api/work-order-exchange: what any caller sees, and the claims of the agent that asks. */
const exchangeRead = operation({
  id: 'exchange-read',
  summary:
    'List the work orders that may be claimed, the newest first, and your own newest 25 claims.',
  http: { method: 'GET', path: EXCHANGE_PATH, host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['credential_required', 'not_found'],
  input: z.strictObject({
    rail: Rail.optional(),
    claim_id: ClaimId.optional(),
    ...pageFields(3),
  }),
  output: z
    .strictObject({
      items: z.array(OpenOrder),
      offset: z.int(),
      limit: z.int(),
      total: z.int().meta({
        description: 'Counted up to 1000, among the 10000 approved ones that were made last.',
      }),
      claims: z.array(
        z.strictObject({
          ...Claim.shape,
          input: z
            .looseObject({})
            .nullable()
            .meta({ description: 'Of the claim that claim_id names, while it is held.' }),
        }),
      ),
    })
    .meta({ id: 'WorkOrderExchange' }),
  handle: async ({ rail, claim_id, offset, limit }, context) => ({
    body: await context.exchange.list(
      { agentId: callerIn(context).agentId, claimId: claim_id, rail },
      pageOf({ offset, limit }),
    ),
  }),
})

/** POST /api/work-order-exchange, mode `release_work_order`: what its timer does to an overdue claim. */
const exchangeRelease = operation({
  id: 'exchange-release',
  summary: 'Give a claimed work order back, so that another agent may claim it.',
  http: { method: 'POST', path: EXCHANGE_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['exchange:write'] },
  errors: ['not_found', 'wrong_state'],
  idempotency: { kind: 'natural', key: ({ claim_id }) => claim_id },
  input: z.strictObject({
    mode: z.literal('release_work_order'),
    work_order_id: WorkOrderId,
    claim_id: ClaimId,
    reason: freeText(500).default(''),
  }),
  output: z
    .strictObject({ work_order: ClaimedOrder, claim: Claim })
    .meta({ id: 'ReleasedToExchange' }),
  handle: async ({ mode: _mode, ...asked }, context) => {
    await context.exchange.release(callerIn(context).requiredAgentId, asked, context.callId)
    return answeredByService
  },
})

/** Approved work orders that other agents may claim and deliver. */
export const exchange = [exchangeRead, exchangeClaim, exchangeDeliver, exchangeRelease] as const
