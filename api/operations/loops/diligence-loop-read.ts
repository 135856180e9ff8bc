import { z } from 'zod'
import { productStages } from '#domain/runs/product-loop.ts'
import { operation } from '../../operation.ts'
import { ProductCard } from '../payments/checkout-shapes.ts'
import { runRead, runReader } from '../runs/run-read.ts'
import { Run, RunId } from '../runs/shapes.ts'
import { stages } from './diligence-shapes.ts'

const ProductLoop = z
  .strictObject({
    stages: z.array(z.enum(productStages)),
    product_cards: z.array(ProductCard),
    sample_path: z.string().meta({ description: 'Where a package is shown before one is bought.' }),
  })
  .meta({ id: 'ProductLoop' })
const ProductRun = z.strictObject({ run: Run, stages }).meta({ id: 'ProductRun' })

/** GET /api/diligenceops-product-to-proof-loop: the stages and what is sold; with a run id how far the caller's own run is. */
export const diligenceLoopRead = operation({
  id: 'diligence-loop-read',
  summary:
    'Read the stages from product to proof with what is sold, or how far a diligenceops run of your own is, each stage with its record.',
  http: { method: 'GET', path: '/api/diligenceops-product-to-proof-loop', host: 'base' },
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([ProductRun, ProductLoop]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) {
      const product_cards = await context.productLinks.cards({ rail: 'diligenceops' })
      const sample_path = '/api/sample-return-packages?rail=diligenceops'
      return { body: { stages: [...productStages], product_cards, sample_path } }
    }
    return { body: await context.productLoops.read(runReader(context), run_id) }
  },
})
