import pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { readConnections } from '../../activities/store/postgres/connections.ts'
import { createDatabase } from '../../activities/store/postgres/db.ts'
import { checkConnections } from '../../worker/doctor/postgres.ts'
import { openRail, type Rail } from '../support/agent.ts'
import { expectExecutedOnce, insist } from '../support/faults.ts'
import { startStack, type TestStack } from '../support/stack.ts'
import { verifies } from '../verifies.ts'

/** What Temporal of docker-compose.yml opens at most, on the same server. */
const OF_TEMPORAL = 28

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({ apis: 2, workers: 3, env: { CHAIN_POLL_MS: '100' } })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const asOwner = async <T>(ask: (database: ReturnType<typeof createDatabase>) => Promise<T>) => {
  const database = createDatabase({ url: stack.databaseUrl, applicationName: 'test', poolSize: 1 })
  return ask(database).finally(database.close)
}

verifies(
  ['operate.connections', 'operate.doctor-connections'],
  'two API and three workers stay in their budgets on a stock server',
  async () => {
    const client = new pg.Client({ connectionString: stack.databaseUrl })
    await client.connect()
    const most = new Map<string, number>()
    let watching = true
    const watched = (async () => {
      while (watching) {
        const { rows } = await client.query<{ name: string; open: number }>(
          `select application_name as name, count(*)::int as open from pg_stat_activity
           where application_name like 'agent-rails %' group by 1`,
        )
        for (const { name, open } of rows) most.set(name, Math.max(open, most.get(name) ?? 0))
      }
    })()
    const agents = await Promise.all(Array.from({ length: 24 }, () => rail.openAgent()))
    await Promise.all(
      agents.map(async (agent) => {
        const payout = await rail.authorized(agent)
        const { payout_id } = payout
        const execute = () =>
          agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
        await expectExecutedOnce(rail, (await insist(execute)).body)
      }),
    )
    watching = false
    await watched
    await client.end()

    const pools = [...most].filter(([name]) => /^agent-rails (api|worker),/.test(name))
    expect(pools.length).toBeGreaterThanOrEqual(5)
    for (const [name, open] of pools) expect(open, name).toBeLessThanOrEqual(11)
    const ours = [...most.keys()].filter((name) =>
      /^agent-rails (tasks|callbacks|signing|harness)/.test(name),
    )
    expect(ours).toEqual([])
    const found = await asOwner(({ db }) => readConnections(db))
    expect(found.allowed).toBe(97)
    expect(found.processes).toBeGreaterThanOrEqual(5)
    expect(found.budget).toBe(found.processes * 12)
    expect(5 * 12 + OF_TEMPORAL).toBeLessThanOrEqual(found.allowed)
    expect(Object.values(stack.logs()).join('')).not.toContain('too many clients')
  },
)

verifies('operate.doctor-connections', 'more than the server allows is a fault', () => {
  const most = { allowed: 97, processes: 7, budget: 84, others: 13 }
  expect(checkConnections(most).ok).toBe(true)
  const more = checkConnections({ ...most, others: 14 })
  expect([more.ok, more.detail, more.remedy]).toEqual([
    false,
    'Postgres allows 97; 7 processes open at most 84, other programs have 14',
    expect.stringContaining('DATABASE_CONNECTIONS'),
  ])
})
