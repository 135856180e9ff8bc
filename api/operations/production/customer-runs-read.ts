import { z } from 'zod'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { moverOf } from '../agents/caller.ts'
import { RunId } from '../runs/shapes.ts'
import { boundRun } from './production-shapes.ts'

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
    body: await context.customerRuns.list(moverOf(context), filter, pageOf({ offset, limit })),
  }),
})
