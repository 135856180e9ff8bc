import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { payoutTerms } from '#domain/payouts/payout.ts'
import { Address, freeText, IdempotencyKey, Usage, UsdcAmount } from '../../fields.ts'
import { answeredByWorkflow, operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { PayoutAnswer } from './payout-answer.ts'

const input = z.strictObject({
  recipient: Address,
  amount_usdc: UsdcAmount.meta({ not: { pattern: '^0(\\.0+)?$' }, description: 'More than zero.' }),
  idempotency_key: IdempotencyKey,
  memo: freeText(limits.memoCharsMax),
  rail_reference: freeText(limits.railReferenceCharsMax),
  usage: Usage.default('unspecified'),
})

/** POST /api/payout-create: creates a payout from its terms. */
export const createPayout = operation({
  id: 'payout-create',
  summary:
    'Fix the terms of a payout: recipient, amount and label. Moves no money and grants no authority.',
  http: { method: 'POST', path: '/api/payout-create', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  status: [201],
  errors: ['payout_cap_exceeded', 'recipient_refused', 'forbidden_material'],
  idempotency: {
    kind: 'body',
    fingerprint: payoutTerms,
    keepsInput: true,
  },
  input,
  output: PayoutAnswer,
  reveal: (answer, { payouts }) => payouts.createdAnswer(answer),
  handle: async (input, context) => {
    await context.payouts.create(callingWallet(context), input, context.callId)
    return answeredByWorkflow
  },
})
