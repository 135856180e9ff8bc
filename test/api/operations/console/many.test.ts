import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../../api/http/client.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { leastOf } from '../../../support/least-ms.ts'
import { copyAgents } from '../../../support/many-agents.ts'
import { newAgentClient } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

const WAITING = 10_000
const P50_MS = 200

let apis: Awaited<ReturnType<typeof startComposed>>
beforeAll(async () => {
  apis = await startComposed({ apis: 1 })
  await newAgentClient(apis.hosts[0]!).register()
  await copyAgents(apis.db, WAITING - 1)
})
afterAll(() => apis?.stop())

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
  const median = async () => {
    const times = []
    for (let page = 0; page < 100; page++) times.push((await read((page % 20) * 50)).ms)
    const sorted = times.sort((one, other) => one - other)
    // Other tests run at the same time; the printed p99 is what a machine of its own has to keep under 200 ms.
    console.log(
      `inbox of ${WAITING}: p50 ${sorted[50]?.toFixed(0)} ms, p99 ${sorted[98]?.toFixed(0)} ms`,
    )
    return sorted[50] ?? Number.NaN
  }
  expect(await leastOf(P50_MS, median)).toBeLessThan(P50_MS)
})
