import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageAnswer, pageInBody } from '../../page-fields.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { TaskState } from '../tasks/shapes.ts'
import { Run } from './shapes.ts'

/** POST /api/agent-use, mode `read_agent_use_runs`: the caller's own runs, the newest first. */
export const readAgentUseRuns = operation({
  id: 'read-agent-use-runs',
  summary: 'List your runs, the newest first, with how many are in which state.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:read'] },
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('read_agent_use_runs'),
    state: TaskState.optional(),
    rail: Rail.optional(),
    ...pageInBody(1_000_000),
  }),
  output: z
    .strictObject({
      items: z.array(Run),
      ...pageAnswer,
      totals: z
        .partialRecord(TaskState, z.int())
        .meta({ description: 'By state, of all that the filter takes.' }),
    })
    .meta({ id: 'AgentRuns' }),
  handle: async ({ state, rail, ...page }, context) => {
    const { offset, limit } = page
    const filter = { agentId: callingAgentId(context), state, rail }
    return { body: await context.runs.runs(filter, { offset, limit }) }
  },
})
