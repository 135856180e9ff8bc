import { z } from 'zod'
import { pathSteps } from '#domain/production/activation-path.ts'
import { Time } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { Tier } from '../payments/shapes.ts'

export const ActivationId = z.string().regex(/^av_[0-9a-f]{64}$/)
export const PathStep = z.enum(pathSteps)

/** A customer account on its way to the first run. */
export const CustomerActivation = z
  .strictObject({
    activation_id: ActivationId,
    customer_account: z.string(),
    rail: Rail,
    tier: Tier,
    started_at: Time,
    steps: z
      .array(
        z.strictObject({
          step: PathStep,
          state: z.enum(['done', 'open']),
          evidence_id: z.string().nullable().meta({ description: 'The record that shows it.' }),
        }),
      )
      .length(pathSteps.length),
    next_action: z.string(),
  })
  .meta({ id: 'CustomerActivation' })
