import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { IdempotencyKey, PayoutId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { PayoutAnswer } from './payout-answer.ts'

const exactlyOne = [{ required: ['payout_id'] }, { required: ['idempotency_key'] }]

/** POST /api/payout-status: the creator reads; nothing is submitted or reconciled. */
export const payoutStatus = operation({
  id: 'payout-status',
  summary:
    'Read a payout and its receipts by its id or by the idempotency key it was created with; with Prefer: wait=20 the answer comes with its next change.',
  http: { method: 'POST', path: '/api/payout-status', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  errors: ['not_found'],
  idempotency: { kind: 'read' },
  input: z
    .strictObject({ payout_id: PayoutId.optional(), idempotency_key: IdempotencyKey.optional() })
    .refine(
      ({ payout_id, idempotency_key }) =>
        (payout_id === undefined) !== (idempotency_key === undefined),
      {
        message: 'give exactly one of payout_id and idempotency_key',
      },
    )
    .meta({ oneOf: exactlyOne }),
  output: PayoutAnswer,
  handle: async ({ payout_id, idempotency_key = '' }, context) => {
    const by = payout_id === undefined ? { idempotency_key } : { payout_id }
    return { body: await context.payouts.read(callingWallet(context), by) }
  },
  next: (_input, context, { read, ms }) => context.payouts.next(callingWallet(context), read, ms),
})
