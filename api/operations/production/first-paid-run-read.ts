import { z } from 'zod'
import { operation } from '../../operation.ts'
import { runReader } from '../runs/run-read.ts'
import { RunId } from '../runs/shapes.ts'
import { FirstPaidRunContract, productionRun } from './production-shapes.ts'

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
    return { body: await context.firstPaidRuns.read(runReader(context), run_id) }
  },
})
