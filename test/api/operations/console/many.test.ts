import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient } from '../../../../api/http/client.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { newAgentClient } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

const WAITING = 10_000

let apis: Awaited<ReturnType<typeof startComposed>>
beforeAll(async () => {
  apis = await startComposed({ apis: 1 })
  await newAgentClient(apis.hosts[0]!).register()
  await copyAgents(WAITING - 1)
}, 120_000)
afterAll(() => apis?.stop())

/** Copies of the one registered agent, each with an account, a key and a token of its own. */
async function copyAgents(count: number): Promise<void> {
  const digest = (text: string) => sql.raw(`encode(sha256((${text})::bytea), 'hex')`)
  await transaction(apis.db, async (tx) => {
    await sql`insert into accounts (account_id, name, owner_agent_id)
      select 'acc_' || ${digest("'a' || n")}, 'copy ' || n, 'agt_' || ${digest("'g' || n")}
      from generate_series(1, ${count}) n`.execute(tx)
    await sql`insert into agents (agent_id, account_id, name, contact, capabilities, rails, protocols, requested_scopes, public_key,
        key_sha256, sandbox, status_token_sha256, trust_state, trust_since)
      select 'agt_' || ${digest("'g' || n")}, 'acc_' || ${digest("'a' || n")}, 'copy ' || n, contact, capabilities, rails, protocols,
        requested_scopes, public_key, ${digest("'k' || n")}, sandbox, ${digest("'t' || n")}, 'submitted',
        clock_timestamp() - n * interval '1 second'
      from (select * from agents limit 1) one, generate_series(1, ${count}) n`.execute(tx)
  })
}

verifies('console.inbox', 'with 10,000 waiting the inbox is read page by page', async () => {
  const operator = createClient({ baseUrl: apis.hosts[0]?.base ?? '', operator: apis.operator })
  const read = async (offset: number) => {
    const begun = performance.now()
    const { body } = await operator.call('inbox', { limit: '50', offset: String(offset) })
    return { body, ms: performance.now() - begun }
  }
  const { body } = await read(0)
  expect(body).toMatchObject({ total: WAITING, counts: [{ kind: 'agent', count: WAITING }] })
  expect(body.items).toHaveLength(50)
  expect((await read(WAITING - 20)).body.items).toHaveLength(20)
  const times = []
  for (let page = 0; page < 100; page++) times.push((await read((page % 20) * 50)).ms)
  const sorted = times.sort((one, other) => one - other)
  console.log(
    `inbox of ${WAITING}: p50 ${sorted[50]?.toFixed(0)} ms, p99 ${sorted[98]?.toFixed(0)} ms`,
  )
})
