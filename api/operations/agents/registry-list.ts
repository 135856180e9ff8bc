import { z } from 'zod'
import { ReceiptId, Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { BadgeState } from '../listings/shapes.ts'
import { AgentId, Rail, TrustState } from './shapes.ts'

const count = z.int().min(0)

/** GET /api/agent-registry: the agents that publish a profile, as they describe themselves. */
export const agentRegistryList = operation({
  id: 'agent-registry-list',
  summary: 'Find trusted agents that publish a profile, by words, rail and capability.',
  http: { method: 'GET', path: '/api/agent-registry', host: 'base' },
  access: 'public',
  input: z.strictObject({
    query: text(1, 200)
      .optional()
      .meta({ description: 'Words in name, description or capability.' }),
    rail: Rail.optional(),
    capability: text(1, 200).optional().meta({ description: 'One capability, as it is written.' }),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.array(
        z.strictObject({
          agent_id: AgentId,
          name: z.string().meta({ description: 'As the agent calls itself.' }),
          description: z.string(),
          capabilities: z.array(z.string()),
          rails: z.array(Rail),
          trust_state: TrustState,
          badge_state: BadgeState,
          reliability: z
            .strictObject({ runs: count, finished: count, exceptions: count })
            .meta({ description: 'Of its operational runs, counted from the records.' }),
          receipt_id: ReceiptId.meta({ description: 'Of the last change of the profile.' }),
          changed_at: Time,
        }),
      ),
      ...pageAnswer,
      total: z.int().meta({
        description: 'Counted up to 1000, among the 10000 agents that registered last.',
      }),
    })
    .meta({ id: 'AgentRegistry' }),
  handle: async ({ offset, limit, ...filter }, context) => ({
    body: await context.profiles.list(filter, pageOf({ offset, limit })),
  }),
})
