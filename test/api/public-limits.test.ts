import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { countInWindows, readWindows } from '../../activities/store/calls/window-counts.ts'
import { proofOf } from '../support/agent.ts'
import { freshKey } from '../support/agent-use.ts'
import { newWallet } from '../support/chain.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { trustedAgent } from '../support/registering-agent.ts'
import { settledPayment } from '../support/trust-wallet.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis

beforeAll(async () => {
  const env = {
    TRUST_PROXY: '1',
    LIMIT_PUBLIC_READS_PER_MINUTE: '6',
    LIMIT_PUBLIC_DOCUMENTS_PER_MINUTE: '12',
    LIMIT_PUBLIC_WRITES_PER_MINUTE: '3',
    LIMIT_NEW_WALLETS_PER_MINUTE: '4',
  }
  apis = await startComposed({ apis: 2, env })
})
afterAll(() => apis?.stop())

/** Sent to both processes in turn, from one client address. */
async function statuses(
  count: number,
  from: string,
  call: (index: number) => [path: string, body?: object],
  more: Record<string, string> = {},
) {
  const answers: number[] = []
  for (let index = 0; index < count; index++) {
    const [path, body] = call(index)
    const headers = { 'x-forwarded-for': from, 'content-type': 'application/json', ...more }
    const init =
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${apis.hosts[index % 2]!.base}${path}`, init)
    answers.push(answer.status)
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  return answers
}

const validation = () => ({
  operation_id: 'first-paid-run-execute',
  rail: 'packetops',
  callback_url: 'https://hooks.agent.example/in',
  idempotency_key: freshKey(),
})
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

verifies(
  ['discovery.limits', 'pipeline.public-limit'],
  'answers name their limit, and documents have one of their own',
  async () => {
    const { base } = apis.hosts[0]!
    const address = from('192.0.2.77')
    const started = await fetch(`${base}/api/agents-start-here`, address)
    const { rate_limits } = (await started.json()) as {
      rate_limits: { policy: string; calls: number; window_seconds: number }[]
    }
    for (const [policy, calls] of [
      ['documents', 12],
      ['public-reads', 6],
      ['public-writes', 3],
    ] as const)
      expect(rate_limits).toContainEqual(
        expect.objectContaining({ policy, calls, window_seconds: 60 }),
      )
    expect(started.headers.get('ratelimit-policy')).toBe('"documents";q=12;w=60')
    expect(started.headers.get('ratelimit')).toMatch(/^"documents";r=11;t=([1-9]|[1-5]\d|60)$/)
    for (let left = 10; left >= 0; left--) {
      const { status, headers } = await fetch(`${base}/.well-known/jwks.json`, address)
      expect([status, headers.get('ratelimit')]).toEqual([
        200,
        expect.stringContaining(`"documents";r=${left};`),
      ])
    }
    const refused = await fetch(`${base}/openapi.json`, address)
    expect(refused.headers.get('ratelimit')).toMatch(/^"documents";r=0;t=\d+$/)
    expect(refused.headers.get('ratelimit-policy')).toBe('"documents";q=12;w=60')
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      limit: { policy: 'documents', calls: 12, window_seconds: 60 },
    })
    const read = await fetch(`${base}/api/agent-pricing`, address)
    expect(read.headers.get('ratelimit')).toMatch(/^"public-reads";r=5;t=\d+$/)
  },
)

const quote = (key: string) => ({ rail: 'tokenops', tier: 'entry', idempotency_key: key })

verifies(
  'pipeline.public-limit',
  'each unknown address has six reads and three other calls a minute',
  async () => {
    const reads = await statuses(8, '192.0.2.1', () => ['/api/agent-pricing'])
    expect(reads).toEqual([...Array.from({ length: 6 }, () => 200), 429, 429])
    const writes = await statuses(5, '192.0.2.1', (index) => [
      '/api/agents/quote',
      quote(`q-${index}`),
    ])
    expect(writes).toEqual([200, 200, 200, 429, 429])
    expect(await statuses(1, '192.0.2.2', () => ['/api/agents/quote', quote('q-0')])).toEqual([200])
  },
)

verifies(
  'admission.compute',
  'sandbox runs of a network without processor time left are 429',
  async () => {
    await countInWindows(apis.db, new Map([['compute:198.51.100.0/24', 300_000]]), 600)
    const start = async (address: string) => {
      const answer = await fetch(`${apis.hosts[0]!.base}/api/agent-sandbox`, {
        method: 'POST',
        headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
        body: JSON.stringify({ rail: 'tokenops', idempotency_key: freshKey() }),
      })
      const { code, detail } = (await answer.json()) as { code?: string; detail?: string }
      return { code, detail, wait: Number(answer.headers.get('retry-after')) }
    }
    const refused = await start('198.51.100.9')
    expect(refused).toMatchObject({
      code: 'rate_limited',
      detail: 'callers without trust of this network have used their processor time',
    })
    expect(refused.wait).toBeGreaterThan(0)
    expect(refused.wait).toBeLessThanOrEqual(600)
    // There is no Temporal here, so that a run which is stored is not begun.
    expect((await start('203.0.113.9')).code).not.toBe('rate_limited')
    const { rows } = await sql<{ network: string }>`select network from tasks`.execute(apis.db)
    expect(rows).toEqual([{ network: '203.0.113.0/24' }])
  },
)

verifies('admission.compute', 'a ranking counts for the network that asks for it', async () => {
  await countInWindows(apis.db, new Map([['compute:198.51.100.0/24', 300_000]]), 600)
  const ask = async (address: string) => {
    const url = `${apis.hosts[0]!.base}/api/service-scout?task=translate%20a%20text`
    const answer = await fetch(url, { headers: { 'x-forwarded-for': address } })
    return [answer.status, ((await answer.json()) as { detail?: string }).detail]
  }
  const used = 'callers without trust of this network have used their processor time'
  expect(await ask('198.51.100.77')).toEqual([429, used])
  expect(await ask('192.0.3.7')).toEqual([200, undefined])
  const counted = await readWindows(apis.db, ['compute:192.0.3.0/24'])
  expect(counted.get('compute:192.0.3.0/24')?.points).toBeGreaterThan(0)
})

verifies(
  'pipeline.rate-limit',
  'an examined key that is good has the limit of its agent',
  async () => {
    const checks = (from: string, key: string) =>
      statuses(
        5,
        from,
        (index) =>
          index % 2 === 0
            ? ['/api/credential-enforcement-middleware', { operation_id: 'agent-quote' }]
            : ['/api/production-write-gate', validation()],
        { authorization: `Bearer ${key}` },
      )
    const { credential } = await trustedAgent(apis.hosts[0]!, apis.operator)
    const id = String(credential.split('_')[1])
    expect(await checks('192.0.2.31', credential)).toEqual([200, 200, 200, 200, 200])
    await sql`update agent_credentials set state = 'revoked', revoked_at = clock_timestamp()
      where credential_id = ${id}`.execute(apis.db)
    expect(await checks('192.0.2.32', credential)).toEqual([200, 200, 200, 429, 429])
    const unknown = `ag_${'0'.repeat(16)}_${'0'.repeat(64)}`
    expect(await checks('192.0.2.33', unknown)).toEqual([200, 200, 200, 429, 429])
  },
)

verifies(
  'pipeline.public-limit',
  'a repeat is answered again and takes nothing; probes are never refused',
  async () => {
    const secret = { 'idempotency-secret': 'a'.repeat(22) }
    const repeats = await statuses(
      9,
      '192.0.2.3',
      () => ['/api/agents/quote', quote('again')],
      secret,
    )
    expect(repeats).toEqual(Array.from({ length: 9 }, () => 200))
    expect(await statuses(9, '192.0.2.3', () => ['/healthz'])).toEqual(
      Array.from({ length: 9 }, () => 200),
    )
  },
)

verifies(
  'admission.faults-bounded',
  'faulty calls count, and over the limit none is held against a schema',
  async () => {
    const members = Array.from({ length: 4_000 }, (_, index) => [`member${index}`, 1])
    const faulty = JSON.stringify(Object.fromEntries(members))
    const send = async (address: string, more: Record<string, string> = {}) => {
      const answer = await fetch(`${apis.hosts[0]!.base}/api/agents/quote`, {
        method: 'POST',
        headers: { 'x-forwarded-for': address, 'content-type': 'application/json', ...more },
        body: faulty,
      })
      const text = await answer.text()
      expect(text.length).toBeLessThanOrEqual(8_192)
      return answer.status
    }
    const sent = async (count: number, ...from: Parameters<typeof send>) => {
      const answers: number[] = []
      while (answers.length < count) answers.push(await send(...from))
      return answers
    }
    expect(await sent(5, '192.0.2.61')).toEqual([400, 400, 400, 429, 429])
    const secret = { 'idempotency-secret': 'b'.repeat(22) }
    expect(await sent(7, '192.0.2.62', secret)).toEqual([400, 400, 400, 429, 429, 429, 429])
    expect(await statuses(1, '192.0.2.63', () => ['/api/agents/quote', quote('q-1')])).toEqual([
      200,
    ])
  },
)

verifies(
  'admission.faults-bounded',
  'a caller over its limit is read as often again, for repeats',
  async () => {
    const secret = { 'idempotency-secret': 'c'.repeat(22) }
    const call = (keys: string[]) =>
      statuses(
        keys.length,
        '192.0.2.64',
        (index) => ['/api/agents/quote', quote(keys[index]!)],
        secret,
      )
    expect(await call(['k-1', 'k-2', 'k-3'])).toEqual([200, 200, 200])
    expect(await call(['k-1', 'k-2', 'k-3'])).toEqual([200, 200, 200])
    expect(await call(['k-1'])).toEqual([429])
  },
)

/** Of the default configuration: proofs name it whichever port answers. */
const ORIGIN = 'http://127.0.0.1:3000'

/** A read of a payout that is not there, with a proof of this wallet. */
async function readBy({ account }: ReturnType<typeof newWallet>, address: string) {
  const { base } = apis.hosts[0]!
  const body = { idempotency_key: 'none' }
  const answer = await fetch(`${base}/api/payout-status`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': address,
      ...(await proofOf(account, ORIGIN, '/api/payout-status', body)),
    },
    body: JSON.stringify(body),
  })
  return answer.status
}

verifies(
  'admission.new-wallets',
  'new wallets share the limit of their address; a payer has its own',
  async () => {
    const answers: number[] = []
    while (answers.length < 6) answers.push(await readBy(newWallet(), '192.0.2.71'))
    expect(answers).toEqual([404, 404, 404, 404, 429, 429])
    expect(await readBy(newWallet(), '192.0.2.72')).toBe(404)
    const payer = newWallet()
    const paid = settledPayment(payer.address.toLowerCase())
    await apis.db
      .insertInto('payments')
      .values(paid as never)
      .execute()
    expect(await readBy(payer, '192.0.2.71')).toBe(404)
  },
)
