import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { operatorOf } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { LinkCell } from './checkout-shapes.ts'
import { Tier } from './shapes.ts'

/** POST /api/payment-link-configuration-sprint: sets or removes the hosted page of a rail and tier, and checks it. */
export const paymentLinksSet = operation({
  id: 'payment-links-set',
  summary:
    'Set the hosted page of a rail and tier at exactly the quote’s total, or remove it; the page is looked at once.',
  http: { method: 'POST', path: '/api/payment-link-configuration-sprint', host: 'base' },
  access: 'operator',
  errors: ['unsupported_request', 'amount_mismatch'],
  input: z.strictObject({
    rail: Rail,
    tier: Tier,
    url: z
      .url({ protocol: /^https$/ })
      .max(2048)
      .nullable(),
    provider_price_usd: z.int().min(1).max(1_000_000),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      cell: LinkCell,
      check: z.strictObject({ reachable: z.boolean(), price_matches: z.boolean() }),
      receipt: Receipt,
    })
    .meta({ id: 'SetPaymentLink' }),
  handle: async ({ idempotency_key: _key, ...link }, context) => {
    const set = { callId: context.callId, operator: operatorOf(context), ...link }
    return { body: await context.productLinks.set(set) }
  },
})
