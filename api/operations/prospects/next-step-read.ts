import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { PilotId } from '../pilots/token.ts'
import { counts, NEXT_STEP_PATH, NextStep, PaidState, PilotNextStep } from './next-step-shapes.ts'
import { ProspectId } from './shapes.ts'

/** GET /api/paid-next-step-pack: both states are computed from offers, payments and runs as they are now. */
export const paidNextStepRead = operation({
  id: 'paid-next-step-read',
  summary:
    'List the prospects and pilots with an offer and those that have paid, with what shows it.',
  http: { method: 'GET', path: NEXT_STEP_PATH, host: 'base' },
  access: 'operator',
  input: z.strictObject({
    state: PaidState.optional(),
    prospect_id: ProspectId.optional(),
    pilot_id: PilotId.optional(),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.array(NextStep),
      pilots: z.array(PilotNextStep),
      offset: z.int(),
      limit: z.int(),
      counts,
      pilot_counts: counts,
    })
    .meta({ id: 'PaidNextSteps' }),
  handle: async (
    { state, prospect_id: prospectId, pilot_id: pilotId, ...page },
    { nextSteps },
  ) => ({
    body: await nextSteps.list({ state, prospectId, pilotId }, pageOf(page)),
  }),
})
