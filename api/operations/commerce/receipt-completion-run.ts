import { z } from 'zod'
import { movementTypes } from '#domain/payments/receipt-completion.ts'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { completed } from './completion-shapes.ts'
import { askingOf } from './proven-agent.ts'

const name = freeText(200, 1).optional()

/** POST /api/provider-receipt-completion: reads payments of the caller's agent alone, and funds nothing. */
export const receiptCompletionRun = operation({
  id: 'receipt-completion-run',
  summary:
    'Complete the receipt of a movement: its passport says what provider and ledger confirm of a payment of yours, or that no payment of yours matches.',
  http: { method: 'POST', path: '/api/provider-receipt-completion', host: 'base' },
  access: 'public',
  errors: ['amount_mismatch', 'evidence_mismatch', 'rate_guardrail_reached', 'forbidden_material'],
  uses: () => ({ analyses: 1 }),
  input: z.strictObject({
    rail_key: Rail.optional().meta({ description: 'The rail that was paid for.' }),
    movement_amount_units: z
      .number()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: 'The amount in whole usd.' }),
    movement_type: z
      .enum(movementTypes)
      .optional()
      .meta({ description: 'settlement unless given.' }),
    payment_reference: name.meta({
      description: 'The id of a payment, or what its payer calls it.',
    }),
    provider_session_id: name.meta({ description: 'What the provider calls it.' }),
  }),
  output: z.strictObject(completed).meta({ id: 'ReceiptCompletion' }),
  handle: async (movement, context) => ({
    body: await context.completions.complete(movement, askingOf(context)),
  }),
})
