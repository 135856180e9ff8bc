import { z } from 'zod'
import { railKeys } from '#domain/rails/rail.ts'
import { freeText, IdempotencyKey, ReceiptId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { LISTING_PATH, Listing } from './shapes.ts'

const Check = z.strictObject({
  receipt_id: ReceiptId,
  kind: z.string().nullable(),
  ok: z.boolean(),
  detail: z.string(),
})

/** POST /api/trust-listing-path, mode `create_trust_listing`: an operator decides whether it is shown. */
export const createTrustListing = operation({
  id: 'create-trust-listing',
  summary:
    'Ask to be listed, on verified receipts about you of operational work. It is shown once an operator approves it.',
  http: { method: 'POST', path: LISTING_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['listings:write'], rail: ({ rails }) => rails },
  delegable: true,
  spendsUsd: async () => 0,
  status: [201],
  errors: ['receipt_invalid', 'already_exists', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('create_trust_listing'),
    display_name: freeText(120, 1),
    summary: freeText(1000, 1),
    rails: z.array(Rail).min(1).max(railKeys.length),
    evidence_receipt_ids: z.array(ReceiptId).min(1).max(20),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ listing: Listing, checks: z.array(Check) })
    .meta({ id: 'CreatedTrustListing' }),
  handle: async ({ display_name, summary, rails, evidence_receipt_ids }, context) => {
    const { callId } = context
    const receiptIds = [...new Set(evidence_receipt_ids)]
    const asked = { agentId: callingAgent(context), receiptIds, callId }
    return { body: await context.listings.create({ ...asked, display_name, summary, rails }) }
  },
})
