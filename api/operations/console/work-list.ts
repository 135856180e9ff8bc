import { z } from 'zod'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { SearchText } from './shapes.ts'

export const workLine = {
  kind: z.enum(['payout', 'task']),
  id: z.string(),
  state: z.string(),
  rail: z.string(),
  usage: z.string(),
  owner: z
    .string()
    .nullable()
    .meta({ description: 'The wallet that created the payout, or the agent of the task.' }),
  amount_usd: z.string().nullable(),
  created_at: Time,
}

/** GET /api/operator/work: payouts and tasks, the newest first. */
export const workList = operation({
  id: 'work-list',
  summary: 'Search payouts and tasks by id, agent, wallet, reference, transaction or state.',
  http: { method: 'GET', path: '/api/operator/work', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    kind: workLine.kind.optional(),
    state: z
      .string()
      .regex(/^[a-z_]{1,40}$/)
      .optional(),
    q: SearchText.optional().meta({
      description:
        'A whole id of a payout, task, run, agent, contract, quote or credit; an address, a reference, a transaction, or a rail.',
    }),
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(z.strictObject(workLine).meta({ id: 'WorkLine' })),
      offset: z.int(),
      limit: z.int(),
    })
    .meta({ id: 'WorkList' }),
  handle: async ({ kind, state, q, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.work.list({ kind, state, text: q }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})
