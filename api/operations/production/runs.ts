import { z } from 'zod'
import { callerIn } from '../../caller.ts'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { askedOf, paidStart } from '../../paid-start.ts'
import {
  boundRun,
  customerStart,
  FirstPaidRunContract,
  productionErrors,
  productionRun,
  startedRun,
} from '../../shapes/production.ts'
import { FUNDED_TWICE, fundedOnce, RunId } from '../../shapes/runs.ts'

/** POST /api/customer-production-runs: as the first paid production run, of every rail with a price and without conditions. */
export const customerRunStart = operation({
  id: 'production-run-start',
  summary:
    'Start a paid production run for a customer account. It waits for its payment and for the review of its order.',
  http: { method: 'POST', path: '/api/customer-production-runs', host: 'base' },
  needs: { scopes: ['production:write'], rail: ({ rail }) => rail },
  gate: { rails: 'priced', callback: 'required' },
  carriesPayment: true,
  ...paidStart,
  errors: productionErrors,
  input: z.strictObject(customerStart).refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z
    .strictObject({
      ...boundRun,
      ...startedRun,
    })
    .meta({ id: 'StartedProductionRun' }),
  handle: async (given, context) => {
    const { headers, started } = await context.customerRuns.start(
      callerIn(context).writer,
      askedOf(given, context),
      context.callId,
    )
    return { body: started, headers }
  },
})

/** GET /api/customer-production-runs: every operational run for a customer account, however it was started. */
export const customerRunsRead = operation({
  id: 'production-runs-read',
  summary:
    'List your production runs, the newest first, each with its customer account, order, payment, package, receipt and state.',
  http: { method: 'GET', path: '/api/customer-production-runs', host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['runs:read'] },
  errors: ['not_found'],
  input: z.strictObject({
    run_id: RunId.optional(),
    customer_account: freeText(160, 1).optional(),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.array(z.strictObject(boundRun).meta({ id: 'ProductionRun' })),
      ...pageAnswer,
    })
    .meta({ id: 'ProductionRuns' }),
  handle: async ({ offset, limit, ...filter }, context) => ({
    body: await context.customerRuns.list(
      callerIn(context).taskActor,
      filter,
      pageOf({ offset, limit }),
    ),
  }),
})

/** POST /api/first-paid-production-run-execution: the run waits for its payment and for the review of its order, and its result for another. */
export const firstPaidRunExecute = operation({
  id: 'first-paid-run-execute',
  summary:
    'Start a paid production run of packetops or diligenceops for a customer account. Its eight conditions are computed from its records when it closes.',
  http: {
    method: 'POST',
    path: '/api/first-paid-production-run-execution',
    aliases: ['/api/first-paid-production-run'],
    host: 'base',
  },
  tool: 'execute_first_paid_production_run',
  needs: { scopes: ['production:write'], rail: ({ rail }) => rail },
  gate: { rails: 'paid_agent_use', callback: 'required' },
  carriesPayment: true,
  ...paidStart,
  errors: [...productionErrors, 'conditions_unmet'],
  input: z
    .strictObject({
      ...customerStart,
      publication_consent: z.boolean().default(false).meta({
        description:
          'Shows the id of the run to anyone once it is the first to meet every condition.',
      }),
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z
    .strictObject({
      ...productionRun,
      ...startedRun,
    })
    .meta({ id: 'StartedFirstPaidRun' }),
  handle: async (given, context) => {
    const { headers, started } = await context.firstPaidRuns.start(
      callerIn(context).writer,
      askedOf(given, context),
      context.callId,
    )
    return { body: started, headers }
  },
})

const own = z.strictObject(productionRun).meta({ id: 'FirstPaidRun' })

/** GET /api/first-paid-production-run-execution: whether any run met all conditions; with a run id the caller's own run. */
export const firstPaidRunRead = operation({
  id: 'first-paid-run-read',
  summary:
    'Read the eight conditions of the first paid production run and whether any run met them, or such a run of your own with the record of each.',
  http: {
    method: 'GET',
    path: '/api/first-paid-production-run-execution',
    aliases: ['/api/first-paid-production-run'],
    host: 'base',
  },
  access: ['agent', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['credential_required', 'not_found'],
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([own, FirstPaidRunContract]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) return { body: await context.firstPaidRuns.describe() }
    if (context.caller.kind === 'operator')
      return { body: await context.firstPaidRuns.read({}, run_id) }
    return { body: await context.firstPaidRuns.read(callerIn(context).runReader, run_id) }
  },
})
