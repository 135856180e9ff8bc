import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { EXECUTE_PATH } from '#domain/payouts/payout.ts'
import { IdempotencyKey, PayoutId } from '../../fields.ts'
import { answeredByWorkflow, operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { PayoutAnswer } from './payout-answer.ts'

/** POST /api/payout-execute: the payout is the key, so any repeat joins the one transfer. */
export const executePayout = operation({
  id: 'payout-execute',
  summary:
    'Transfer the principal of an authorized payout, once. 202 while the transfer is under way: wait with payout-status and Prefer: wait=20.',
  http: { method: 'POST', path: EXECUTE_PATH, host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  charge: 'before',
  status: [200, 202],
  errors: ['not_found', 'wrong_state', 'authority_denied', 'daily_cap_exceeded', 'payout_expired'],
  idempotency: { kind: 'natural', key: ({ payout_id }) => payout_id, keepsProof: true },
  input: z.strictObject({ payout_id: PayoutId, idempotency_key: IdempotencyKey }),
  output: PayoutAnswer,
  precondition: ({ payout_id }, context, paid) =>
    context.payouts.checkExecutable(callingWallet(context), payout_id, paid),
  handle: async ({ payout_id }, context) => {
    const pending = await context.payouts.execute(callingWallet(context), payout_id, context)
    return pending === undefined
      ? answeredByWorkflow
      : { status: 202, body: pending, grantUsed: true }
  },
})
