import { z } from 'zod'
import { operation } from '../../operation.ts'
import { sampled } from '../receipts/sampled.ts'
import { completed } from './completion-shapes.ts'

/** GET /api/provider-receipt-completion: the completion of nothing. */
export const receiptCompletionRead = operation({
  id: 'receipt-completion-read',
  summary: 'Read how the receipt of a movement is completed, as a sample.',
  http: { method: 'GET', path: '/api/provider-receipt-completion', host: 'base' },
  access: 'public',
  output: z.strictObject({ ...sampled, ...completed }).meta({ id: 'CompletionSample' }),
  handle: async (_, { completions }) => ({ body: await completions.sample() }),
})
