import { z } from 'zod'
import { completionStates, movementTypes } from '#domain/payments/receipt-completion.ts'
import { callerIn } from '../../caller.ts'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../../shapes/agents.ts'
import { Passport } from '../../shapes/commerce.ts'
import { sampled } from '../../shapes/receipts.ts'
import { UsageEvent } from '../../shapes/usage.ts'
import { ProofRelay } from './analysis.ts'

/** What a completion answers. */
const completed = {
  receipt_passport: Passport,
  ledger_entry: UsageEvent,
  proof_relay: ProofRelay,
  completion_state: z.enum(completionStates).meta({
    description:
      'completed: provider and ledger confirm it. awaiting_provider: they do not yet. unmatched: no payment of yours is there for such a movement. synthetic: the call named none.',
  }),
}

/** GET /api/provider-receipt-completion: the completion of nothing. */
export const receiptCompletionRead = operation({
  id: 'receipt-completion-read',
  summary: 'Read how the receipt of a movement is completed, as a sample.',
  http: { method: 'GET', path: '/api/provider-receipt-completion', host: 'base' },
  access: 'public',
  output: z.strictObject({ ...sampled, ...completed }).meta({ id: 'CompletionSample' }),
  handle: async (_, { completions }) => ({ body: await completions.sample() }),
})

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
    body: await context.completions.complete(movement, callerIn(context).asking),
  }),
})
