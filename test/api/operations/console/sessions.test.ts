import { afterAll, beforeAll, expect } from 'vitest'
import { createOperator, revokeOperator } from '../../../../activities/store/operators/operators.ts'
import { csrfTokenOf } from '../../../../api/auth/operator-session.ts'
import { paths } from '../../../../api/console/src/paths.ts'
import { operations } from '../../../../api/operations/index.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { newAgentClient, trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposed>>
let base: string
beforeAll(async () => {
  // Hundreds of refusals come from one address here; after too many they would be 429.
  const env = { LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '100000' }
  apis = await startComposed({ apis: 2, env })
  base = apis.hosts[0]?.base ?? ''
})
afterAll(() => apis?.stop())

type Session = { cookie: string; 'x-csrf-token': string }

async function signIn(credential = apis.operator): Promise<Session> {
  const answer = await send('POST', '/api/operator/session', {
    authorization: `Bearer ${credential}`,
  })
  expect(answer.status).toBe(200)
  const cookies = answer.headers.getSetCookie()
  const [session = '', csrf = ''] = cookies
  expect(session).toMatch(
    /^agent_rails_session=[0-9a-f]{64}; HttpOnly; Path=\/; Max-Age=28800; SameSite=Strict$/,
  )
  expect(csrf).toMatch(/^agent_rails_csrf=[0-9a-f]{64}; Path=\/; Max-Age=28800; SameSite=Strict$/)
  const value = (cookie: string) => cookie.split(';')[0] ?? ''
  return {
    cookie: `${value(session)}; ${value(csrf)}`,
    'x-csrf-token': value(csrf).split('=')[1] ?? '',
  }
}

const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  fetch(base + path, {
    method,
    headers: { ...headers, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
  })
const statusOf = async (headers: Record<string, string>) =>
  (await send('GET', '/api/operator/inbox', headers)).status

verifies(
  'console.session',
  'a session has the rights of its operator, in every process',
  async () => {
    const session = await signIn()
    expect(await statusOf(session)).toBe(200)
    const other = await fetch(`${apis.hosts[1]?.base}/api/operator/session`, { headers: session })
    expect(await other.json()).toMatchObject({ session: { name: expect.any(String) } })
  },
)

verifies(
  'console.session',
  'a cookie without its token, and a wrong token, are refused',
  async () => {
    const { cookie, 'x-csrf-token': token } = await signIn()
    const secret = /session=([0-9a-f]{64})/.exec(cookie)?.[1] ?? ''
    expect(csrfTokenOf(secret)).toBe(token)
    const wrong: Record<string, string>[] = [
      { cookie },
      { 'x-csrf-token': token },
      { cookie, 'x-csrf-token': '0'.repeat(64) },
      { cookie, 'x-csrf-token': token.toUpperCase() },
      { cookie: `${cookie}; agent_rails_session=${secret}`, 'x-csrf-token': token },
      {
        cookie: cookie.replace(secret, 'f'.repeat(64)),
        'x-csrf-token': csrfTokenOf('f'.repeat(64)),
      },
    ]
    expect(await Promise.all(wrong.map(statusOf))).toEqual(wrong.map(() => 401))
  },
)

verifies('console.session', 'a session does not prolong itself', async () => {
  const session = await signIn()
  for (const more of [{}, { authorization: '' }]) {
    const answer = await send('POST', '/api/operator/session', { ...session, ...more })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
  }
})

verifies('console.session', 'a session ends with signing out', async () => {
  const session = await signIn()
  const answer = await send('POST', '/api/operator/session/end', session)
  expect(answer.headers.getSetCookie().join()).toContain('agent_rails_session=; ')
  expect(await statusOf(session)).toBe(401)
})

verifies(
  ['console.session', 'stolen.session'],
  'it ends with the credential of its operator',
  async () => {
    const { operatorId, credential } = await createOperator(apis.db, 'Eve')
    const session = await signIn(credential)
    expect(await statusOf(session)).toBe(200)
    await revokeOperator(apis.db, operatorId)
    expect(await statusOf(session)).toBe(401)
  },
)

verifies('console.session', 'another operator ends all sessions of one', async () => {
  const { operatorId, credential } = await createOperator(apis.db, 'Bob')
  const [one, two, ada] = [await signIn(credential), await signIn(credential), await signIn()]
  await send('POST', '/api/operator/session/end', ada, { operator_id: operatorId })
  expect(await Promise.all([one, two, ada].map(statusOf))).toEqual([401, 401, 200])
})

verifies('stolen.session', 'a session moves no payout and makes no operator', async () => {
  const session = await signIn()
  const before = await apis.db.selectFrom('operators').selectAll().execute()
  for (const id of ['payout-create', 'payout-authorize', 'payout-execute']) {
    const { http } = operations.find((one) => one.id === id) ?? {}
    const answer = await send('POST', String(http?.path), session)
    const { code } = (await answer.json()) as { code?: string }
    expect([id, answer.status, code]).toEqual([id, 401, 'wallet_proof_required'])
  }
  for (const path of ['/api/operator/operators', '/api/operator/credentials'])
    expect((await send('POST', path, session, { name: 'Eve' })).status, path).not.toBe(201)
  expect(await apis.db.selectFrom('operators').selectAll().execute()).toEqual(before)
})

/** Each operation of the console, as its own address and method. */
const calls = Object.entries(paths).map(([id, path]) => {
  const [method = '', address = ''] = path.split(' ')
  const mode = operations.find((one) => one.id === id)?.mode
  return { method, path: address.replace(/\{\w+\}/, 'po_1'), body: mode ? { mode } : {} }
})
const refused = async (headers: Record<string, string>, refusing = calls) => {
  const answers = refusing.map(async ({ method, path, body }) => {
    const { status } = await send(method, path, headers, body)
    return `${method} ${path} ${status}`
  })
  expect(await Promise.all(answers)).toEqual(
    refusing.map(({ method, path }) => `${method} ${path} 401`),
  )
}

verifies('console.inbox', 'strangers and agents read nothing and do nothing', async () => {
  const { credential } = await trustedAgent(apis.hosts[0]!, apis.operator)
  const { status_token } = await newAgentClient(apis.hosts[0]!).register()
  await refused({})
  await refused({ 'x-status-token': status_token })
  await refused({ authorization: `Bearer op_${'0'.repeat(16)}_${'0'.repeat(64)}` })
  const own = calls.filter(({ path }) => !path.startsWith('/api/signing-secret-rotation'))
  await refused({ authorization: `Bearer ${credential}` }, own)
})

verifies('console.session', 'without its header, or ended, a session does nothing', async () => {
  const session = await signIn()
  const { cookie } = session
  await refused({ cookie })
  await refused({ cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
  await refused({ cookie, 'x-csrf-token': '0'.repeat(64) })
  await send('POST', '/api/operator/session/end', session)
  await refused(session)
})
