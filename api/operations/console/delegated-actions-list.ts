import { z } from 'zod'
import { actionStates } from '#domain/authority/facts.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { ActionLine } from './mandate-shapes.ts'
import { SearchText } from './shapes.ts'

/** GET /api/operator/delegated-actions: what agents executed under mandates, the newest first. */
export const delegatedActionsList = operation({
  id: 'delegated-actions-list',
  summary: 'Search delegated actions, each with its decision, the rules behind it and its receipt.',
  http: { method: 'GET', path: '/api/operator/delegated-actions', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    state: z.enum(actionStates).optional(),
    q: SearchText.optional().meta({
      description: 'A whole id of an action, grant, mandate, agent or operation.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({ items: z.array(ActionLine), offset: z.int(), limit: z.int() })
    .meta({ id: 'DelegatedActionLines' }),
  handle: async ({ state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.mandateViews.actions({ state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})
