import { afterAll, beforeAll, expect } from 'vitest'
import { packetops } from '#domain/rails/packetops/index.ts'
import { freshKey } from '../../support/agent-use.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { trustedAgent } from '../../support/registering-agent.ts'
import { tokenOfStopped } from '../../support/stopped-task.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  const env = {
    TRUST_PROXY: '1',
    LIMIT_PUBLIC_READS_PER_MINUTE: '6',
    LIMIT_PUBLIC_WRITES_PER_MINUTE: '3',
    LIMIT_AGENT_PER_MINUTE: '8',
    LIMIT_ADDRESS_PER_MINUTE: '40',
  }
  apis = await startComposed({ env })
})
afterAll(() => apis?.stop())

const answersOf = async (times: number, ask: (nth: number) => Promise<Response>) => {
  const answers: Response[] = []
  for (let nth = 0; nth < times; nth++) answers.push(await ask(nth))
  return answers
}
const statusesOf = (answers: Response[]) => answers.map(({ status }) => status)
const post = (path: string, from: string, body: object) =>
  fetch(`${apis.hosts[0]?.os}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify(body),
  })
const read = (token: string, from: string) =>
  fetch(`${apis.hosts[0]?.base}/api/agents/status/${token}`, {
    headers: { 'x-forwarded-for': from },
  })
const raise = (token: string, from: string) =>
  post(`/api/agents/tasks/${token}/exceptions`, from, {
    code: 'caller_dispute',
    detail: 'it is wrong',
    idempotency_key: freshKey(),
  })

verifies('pipeline.token-limit', 'an anonymous token reads 6 times a minute', async () => {
  const token = await tokenOfStopped(apis)
  const answers = await answersOf(7, () => read(token, '192.0.2.1'))
  expect(statusesOf(answers)).toEqual([...Array.from({ length: 6 }, () => 200), 429])
  const headers = answers[6]?.headers
  expect(Number(headers?.get('retry-after'))).toBeGreaterThan(0)
  expect(headers?.get('ratelimit-policy')).toBe('"public-reads";q=6;w=60')
  expect((await read(token, '192.0.2.2')).status).toBe(429)
  expect((await read(await tokenOfStopped(apis), '192.0.2.1')).status).toBe(429)
  expect((await read(await tokenOfStopped(apis), '192.0.2.2')).status).toBe(200)
})

verifies(
  ['pipeline.token-limit', 'pipeline.dependency-down'],
  'what it writes is limited, and a refusal leaves no row',
  async () => {
    const token = await tokenOfStopped(apis)
    const answers = await answersOf(6, () => raise(token, '192.0.2.3'))
    // The first stops the task; a stopped task cannot be stopped again.
    expect(statusesOf(answers)).toEqual([201, 409, 409, 429, 429, 429])
    const { total } = await apis.db
      .selectFrom('calls')
      .select(({ fn }) => fn.countAll<string>().as('total'))
      .where('operation', '=', 'task-exception-raise')
      .executeTakeFirstOrThrow()
    expect(Number(total)).toBe(3)
  },
)

verifies('pipeline.token-limit', 'a token with an agent has the limit of a key', async () => {
  const { registered } = await trustedAgent(apis.hosts[0]!, apis.operator)
  const from = (nth: number) => `192.0.2.${100 + nth}`
  const answers = await answersOf(9, (nth) => read(registered.status_token, from(nth)))
  const statuses = statusesOf(answers)
  expect(statuses).toContain(200)
  expect(statuses.at(-1)).toBe(429)
  expect(answers.at(-1)?.headers.get('ratelimit-policy')).toBe('"agent";q=8;w=60')
})

verifies('pipeline.token-limit', 'a body of an anonymous token has the open size', async () => {
  const path = `/api/agents/tasks/${await tokenOfStopped(apis)}/recover`
  const recover = (action: string, note: string, from: string) =>
    post(path, from, {
      action,
      input: { ...packetops.sandboxInput, note },
      idempotency_key: freshKey(),
    })
  expect((await recover('supply_evidence', 'x'.repeat(66_000), '192.0.2.5')).status).toBe(413)
  // Also what does not fit the schema counts as a call of the address.
  const answers = await answersOf(41, () => recover('none', 'x', '192.0.2.6'))
  expect([answers[0]?.status, answers[40]?.status]).toEqual([400, 429])
  expect(answers[40]?.headers.get('ratelimit-policy')).toBe('"address";q=40;w=60')
})
