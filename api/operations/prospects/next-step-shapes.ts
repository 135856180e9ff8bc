import { z } from 'zod'
import { paidStates } from '#domain/prospects/prospect.ts'
import { ReceiptId, Time } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { QuoteId, ReferenceId, Tier } from '../payments/shapes.ts'
import { PilotId } from '../pilots/token.ts'
import { RunId } from '../runs/shapes.ts'
import { ProspectId } from './shapes.ts'

export const NEXT_STEP_PATH = '/api/paid-next-step-pack'
export const PaidState = z.enum(paidStates)
const count = z.int().min(0)

const step = {
  state: PaidState,
  evidence: z.strictObject({
    return_package_id: z.string().nullable(),
    receipt_id: ReceiptId.nullable(),
  }),
  offer: z
    .strictObject({
      quote_id: QuoteId,
      rail: Rail,
      tier: Tier,
      total_usd: count,
      note: z.string().nullable(),
    })
    .optional()
    .meta({ description: 'The latest; a prospect may also pay without one.' }),
  checkout_url: z.string().nullable(),
  paid: z
    .strictObject({
      run_id: RunId,
      payment_reference_id: ReferenceId,
      completed_at: Time,
    })
    .optional()
    .meta({ description: 'The first paid run, by which it converted.' }),
}
export const NextStep = z
  .strictObject({ prospect_id: ProspectId, label: z.string(), ...step })
  .meta({ id: 'PaidNextStep' })
export const PilotNextStep = z
  .strictObject({ pilot_id: PilotId, ...step })
  .meta({ id: 'PaidNextStepOfPilot' })
export const counts = z.strictObject({ paid_next_step_ready: count, converted_to_paid: count })
