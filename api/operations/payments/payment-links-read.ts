import { z } from 'zod'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { LinkCell } from './checkout-shapes.ts'

/** GET /api/payment-link-configuration-sprint. */
export const paymentLinksRead = operation({
  id: 'payment-links-read',
  summary:
    'Read which hosted pages are set, what the last look at each found, and how many are left.',
  http: { method: 'GET', path: '/api/payment-link-configuration-sprint', host: 'base' },
  access: 'operator',
  input: z.strictObject({ rail: Rail.optional() }),
  output: z
    .strictObject({ cells: z.array(LinkCell), done: z.int().min(0), left: z.int().min(0) })
    .meta({ id: 'PaymentLinks' }),
  handle: async (only, { productLinks }) => ({
    body: await productLinks.cells(only),
  }),
})
