import { z } from 'zod'
import { operation } from '../../operation.ts'
import { moverOf, readingAgentId } from '../agents/caller.ts'
import { sampled } from '../receipts/sampled.ts'
import { Clearing, ClearingId } from './clearing-shapes.ts'
import { RunId } from './shapes.ts'

const SampleClearing = z
  .strictObject({ ...sampled, clearing: Clearing })
  .meta({ id: 'SampleClearing' })

/** GET /api/agent-run-clearing-spine: a sample; asked for one, the caller’s own clearing, after its review if it had one. */
export const clearingRead = operation({
  id: 'clearing-read',
  summary:
    'Read a sample of a clearing, or a clearing of yours by its id or, the newest, by its run.',
  http: { method: 'GET', path: '/api/agent-run-clearing-spine', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk'], signed: false },
  errors: ['credential_required', 'not_found', 'unavailable'],
  input: z
    .strictObject({ clearing_id: ClearingId.optional(), run_id: RunId.optional() })
    .refine(({ clearing_id, run_id }) => clearing_id === undefined || run_id === undefined, {
      message: 'give clearing_id or run_id, not both',
    })
    .meta({ not: { required: ['clearing_id', 'run_id'] } }),
  output: z.union([Clearing, SampleClearing]),
  handle: async ({ clearing_id, run_id }, context) => {
    const named = clearing_id === undefined ? run_id && { run_id } : { clearing_id }
    if (!named) return { body: await context.clearings.sample() }
    readingAgentId(context, 'a clearing is read by its agent')
    return { body: await context.clearings.read(moverOf(context), named) }
  },
})
