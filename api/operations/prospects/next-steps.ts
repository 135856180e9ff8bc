import { z } from 'zod'
import { paidStates } from '#domain/prospects/prospect.ts'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey, ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../../shapes/agents.ts'
import { PaymentChallenge, Quoted, QuoteId, ReferenceId, Tier } from '../../shapes/payments.ts'
import { Pilot, PilotId } from '../../shapes/pilots.ts'
import { Prospect, ProspectId } from '../../shapes/prospects.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { RunId } from '../../shapes/runs.ts'

const NEXT_STEP_PATH = '/api/paid-next-step-pack'
const PaidState = z.enum(paidStates)
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
const NextStep = z
  .strictObject({ prospect_id: ProspectId, label: z.string(), ...step })
  .meta({ id: 'PaidNextStep' })
const PilotNextStep = z
  .strictObject({ pilot_id: PilotId, ...step })
  .meta({ id: 'PaidNextStepOfPilot' })
const counts = z.strictObject({ paid_next_step_ready: count, converted_to_paid: count })

/** POST /api/paid-next-step-pack: an offer makes a prospect or a pilot ready; that it has paid is never recorded. */
export const paidNextStepMark = operation({
  id: 'paid-next-step-mark',
  summary:
    'Offer a prospect or a pilot its paid next step after delivered work: a quote for its agent, with the challenge that pays it.',
  http: { method: 'POST', path: NEXT_STEP_PATH, host: 'base' },
  access: 'operator',
  errors: [
    'not_found',
    'not_ready',
    'wrong_state',
    'unsupported_request',
    'quote_expired',
    'already_funded',
    'payment_pending',
    'forbidden_material',
  ],
  input: z
    .strictObject({
      prospect_id: ProspectId.optional(),
      pilot_id: PilotId.optional(),
      to: z.literal('paid_next_step_ready'),
      tier: Tier,
      note: freeText(1000, 1).optional(),
      idempotency_key: IdempotencyKey,
    })
    .refine((given) => (given.prospect_id === undefined) !== (given.pilot_id === undefined), {
      message: 'name a prospect_id or a pilot_id, and not both',
    }),
  output: z
    .strictObject({
      prospect: Prospect.nullable(),
      pilot: Pilot.nullable().meta({
        description:
          'The pilot that is ready: the one named, or the delivered one of the prospect.',
      }),
      quote: Quoted.shape.quote,
      challenge: PaymentChallenge,
      receipt: Receipt,
    })
    .meta({ id: 'OfferedNextStep' }),
  handle: async ({ to: _to, idempotency_key: _key, ...offered }, context) => ({
    body: await context.nextSteps.offer(offered, callerIn(context).operatorCall),
  }),
})

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
