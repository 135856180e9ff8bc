import { z } from 'zod'
import { trustStates } from '#domain/agents/trust.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { SearchText } from './shapes.ts'

const Agent = z
  .strictObject({
    agent_id: z.string(),
    name: z.string(),
    sandbox: z.boolean(),
    trust_state: z.enum(trustStates),
    trust_since: Time,
    rails: z.array(z.string()),
    limits: z.looseObject({}).nullable(),
    credential_id: z.string().nullable().meta({ description: 'Of the newest access key.' }),
    credential_state: z.string().nullable(),
    credential_expires_at: Time.nullable(),
    open_tasks: z.int(),
    created_at: Time,
  })
  .meta({ id: 'AgentLine' })

/** GET /api/operator/agents: agents with their trust, limits and newest access key. */
export const agentsList = operation({
  id: 'agents-list',
  summary:
    'Search agents by id, account, name or e-mail address, with their trust and access keys.',
  http: { method: 'GET', path: '/api/operator/agents', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    q: SearchText.optional(),
    state: z.enum(trustStates).optional(),
    ...pageFields(5),
  }),
  output: z
    .strictObject({ items: z.array(Agent), offset: z.int(), limit: z.int() })
    .meta({ id: 'AgentLines' }),
  handle: async ({ q, state, ...page }, context) => {
    const { offset, limit } = pageOf(page)
    const items = await context.switches.agents({ text: q, state }, { offset, limit })
    return { body: { items, offset, limit } }
  },
})
