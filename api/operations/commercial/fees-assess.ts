import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { isPercent, percentItems } from '#domain/credit/fees.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { scopedAgentId } from '../agents/scoped-caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { QuoteId, WalletId } from '../payments/shapes.ts'
import { RunId } from '../runs/shapes.ts'
import { FeeEventId, FeeItem, usd } from './fee-shapes.ts'

/** POST /api/agent-commercial-layer: computes fees; with `accrue` it posts the month of a plan before its timer does. */
export const feesAssess = operation({
  id: 'commercial-fees-assess',
  summary: 'Compute the fees of a run, a quote or some items, or pay the month of a plan now.',
  http: { method: 'POST', path: '/api/agent-commercial-layer', host: 'base' },
  access: 'public',
  errors: [
    'credential_required',
    'scope_denied',
    'not_found',
    'not_owner',
    'payment_required',
    'fee_not_accepted',
    'control_denied',
    'paused',
    'unsupported_request',
  ],
  input: z.strictObject({
    run_id: RunId.optional().meta({
      description: 'A run of yours, with the scope runs:read; what it posts when it closes.',
    }),
    quote_id: QuoteId.optional(),
    items: z
      .array(
        z
          .strictObject({
            fee_item: FeeItem.meta({ description: 'One of the seven.' }),
            basis_usd: usd
              .max(1_000_000)
              .optional()
              .meta({
                description: `What a percentage is of: required for ${percentItems.join(' and ')}.`,
              }),
            count: z
              .int()
              .min(1)
              .max(1000)
              .optional()
              .meta({ description: 'Of receipts, runs, months; 1 unless given.' }),
          })
          .refine(({ fee_item, basis_usd }) => (basis_usd !== undefined) === isPercent(fee_item), {
            path: ['basis_usd'],
            message: `${percentItems.join(' and ')} are percentages of so many usd, the others of nothing`,
          }),
      )
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Items to compute; one of run_id, quote_id and items.' }),
    accrue: z.boolean().default(false).meta({
      description: 'Post the month of the named plan: an agent with the scope wallets:write.',
    }),
    wallet_id: WalletId.optional().meta({ description: 'Your wallet, which pays; with accrue.' }),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({
      lines: z.array(
        z.strictObject({ fee_item: FeeItem, rule: z.string(), basis_usd: usd, amount_usd: usd }),
      ),
      total_usd: usd,
      fee_event_ids: z.array(FeeEventId),
      receipt: Receipt.nullable(),
    })
    .meta({ id: 'AssessedFees' }),
  handle: async ({ accrue, wallet_id: walletId, ...of }, context) => {
    const { callId, commercialLayer } = context
    const given = [of.run_id, of.quote_id, of.items].filter((one) => one !== undefined)
    if (given.length !== 1)
      throw refuse('invalid_request', { detail: 'give one of run_id, quote_id and items' })
    if (!accrue && of.run_id === undefined) return { body: await commercialLayer.assess(of) }
    const scope = accrue ? 'wallets:write' : 'runs:read'
    const agentId = scopedAgentId(context, scope, 'an agent reads its runs and pays its fees')
    if (!accrue) return { body: await commercialLayer.assess(of, agentId) }
    return { body: await commercialLayer.accrue({ callId, agentId, walletId, items: of.items }) }
  },
})
