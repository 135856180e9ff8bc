import { z } from 'zod'
import { operation } from '../../operation.ts'
import { ProductCard } from './checkout-shapes.ts'
import { Tier } from './shapes.ts'

/** GET /api/diligenceops-payment-product-links: the cards of the checkout, of one rail. */
export const diligenceProductLinks = operation({
  id: 'diligence-product-links',
  summary: 'Read where each tier of diligenceops is paid.',
  http: { method: 'GET', path: '/api/diligenceops-payment-product-links', host: 'base' },
  access: 'public',
  input: z.strictObject({ tier: Tier.optional() }),
  output: z
    .strictObject({ product_cards: z.array(ProductCard) })
    .meta({ id: 'DiligenceProductLinks' }),
  handle: async ({ tier }, { productLinks }) => ({
    body: { product_cards: await productLinks.cards({ rail: 'diligenceops', tier }) },
  }),
})
