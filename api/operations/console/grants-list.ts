import { z } from 'zod'
import { grantStates } from '#domain/authority/facts.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { GrantLine } from './mandate-shapes.ts'
import { SearchText } from './shapes.ts'

/** GET /api/operator/action-grants: grants of single actions, the newest first. */
export const grantsList = operation({
  id: 'grants-list',
  summary: 'Search the grants of single actions, used and unused.',
  http: { method: 'GET', path: '/api/operator/action-grants', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    state: z.enum(grantStates).optional(),
    q: SearchText.optional().meta({
      description: 'A whole id of a grant, mandate, action, agent or operation.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({ items: z.array(GrantLine), offset: z.int(), limit: z.int() })
    .meta({ id: 'GrantLines' }),
  handle: async ({ state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.mandateViews.grants({ state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})
