import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { RunId } from '../runs/shapes.ts'
import { Check } from '../tasks/shapes.ts'
import { WorkOrderId } from '../work-orders/shapes.ts'
import {
  acceptTerms,
  Claim,
  ClaimedOrder,
  ClaimId,
  DeliveredPackage,
  EXCHANGE_PATH,
} from './shapes.ts'

/** POST /api/work-order-exchange, mode `deliver_work_order`: what was delivered is the worker's step of the run of the order. */
export const exchangeDeliver = operation({
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
    body: await context.exchange.deliver(writerOf(context), asked, context.callId),
    grantUsed: true,
  }),
})
