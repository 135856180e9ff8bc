import { z } from 'zod'
import { productStages, stageStates } from '#domain/runs/product-loop.ts'

/** What is sold, bought, worked and proven, each with the id of its record; of the card it is the address. */
export const stages = z
  .array(
    z.strictObject({
      stage: z.enum(productStages),
      state: z.enum(stageStates).meta({
        description:
          'held: the card cannot be bought now, or the proof waits for a payment or for a person.',
      }),
      evidence_id: z.string().nullable(),
    }),
  )
  .length(productStages.length)
