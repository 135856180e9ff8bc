import { afterAll, beforeAll, expect } from 'vitest'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { verifies } from '../../../verifies.ts'

/** Without Temporal: a start is stored, and its answer is never made. */
let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ env: { UPDATE_WAIT_MS: '1000' } })
}, 120_000)
afterAll(() => apis?.stop())

verifies(
  ['agent-use.start', 'durable.unknown-update'],
  'a repeat of a stored, unanswered start is never refused for good',
  async () => {
    const hosts = apis.hosts[0]!
    for (const sandbox of [true, false]) {
      const agent = await openAgentUse(hosts, apis.operator, { sandbox })
      const { quote_id } = await agent.quote('packetops', 1, 'entry')
      const asked = { ...agent.startInput(quote_id), tier: 'entry', usage: 'synthetic' } as const
      const input = { ...asked, idempotency_key: freshKey() }
      const { agent_id } = agent.registered.agent
      const tasks = () =>
        apis.db
          .selectFrom('tasks')
          .select(['task_id', 'sequence', 'state'])
          .where('agent_id', '=', agent_id)
          .execute()
      const expected = { status: 503, code: 'unavailable', retryable: true }
      expect(await problemOf(agent.start(input))).toMatchObject(expected)
      const stored = await tasks()
      expect(stored).toHaveLength(1)
      for (const _ of [1, 2]) expect(await problemOf(agent.start(input))).toMatchObject(expected)
      expect(await tasks()).toEqual(stored)
    }
  },
)
