import { z } from 'zod'
import { mandateStates } from '#domain/authority/facts.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { mandateLine } from './mandate-shapes.ts'
import { SearchText } from './shapes.ts'

/** GET /api/operator/mandates: mandates of authority, of AP2 and for payouts, the newest first. */
export const mandatesList = operation({
  id: 'mandates-list',
  summary:
    'Search the mandates of agents and those for payouts, with what is used and left of each.',
  http: { method: 'GET', path: '/api/operator/mandates', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    kind: mandateLine.kind.optional(),
    state: z.enum(mandateStates).optional(),
    q: SearchText.optional().meta({
      description: 'A whole id of a mandate, grant, agent or payout, a principal, or an issuer.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(z.strictObject(mandateLine).meta({ id: 'MandateLine' })),
      offset: z.int(),
      limit: z.int(),
    })
    .meta({ id: 'MandateLines' }),
  handle: async ({ kind, state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.mandateViews.list({ kind, state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})
