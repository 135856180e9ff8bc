import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { railOf, rails } from '#domain/rails/index.ts'
import { profiles } from '#domain/rails/packetops/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { countAtWork, type TaskRow } from '../../../../activities/store/tasks/tasks.ts'
import { createClient, type InputOf, type OutputOf } from '../../../../api/http/client.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { newAgentClient } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks()
})
afterAll(() => apis?.stop())

type Asked = Partial<InputOf<'agent-sandbox-run'>>
type Started = OutputOf<'agent-sandbox-run'>

const caller = (more: { statusToken?: string; idempotencySecret?: string } = {}) => {
  const [{ base, os }] = apis.hosts as [{ base: string; os: string }]
  return createClient({ baseUrl: base, osUrl: os, signAsAgent: () => 'A'.repeat(86), ...more })
}
const begin = async (asked: Asked = {}) =>
  (
    await caller().call('agent-sandbox-run', {
      rail: 'tokenops',
      idempotency_key: freshKey(),
      ...asked,
    })
  ).body

/** What the holder of the token of a run does with it. */
function follow({ status_token, run: { run_id } }: Started) {
  const holder = caller({ statusToken: status_token })
  const ledger = async () => (await holder.call('task-ledger', {})).body
  return {
    ledger,
    reaches: (state: string) => expect.poll(async () => (await ledger()).task.state).toBe(state),
    taken: async () => {
      const asked = { mode: 'fetch_return_package', run_id } as const
      return (await holder.call('fetch-return-package', asked)).body
    },
    exceptions: async () => (await holder.call('task-exceptions', {})).body.items,
    recover: (how: Omit<InputOf<'task-recover'>, 'idempotency_key'>) =>
      holder.call('task-recover', { ...how, idempotency_key: freshKey() }),
    read: async () => (await holder.call('agent-sandbox-read', {})).body,
  }
}
const eventsOf = ({ entries }: OutputOf<'task-ledger'>) => entries.map(({ event }) => event)

verifies('sandbox.run', 'each rail runs without an agent, to a proven package', async () => {
  expect(rails.map(({ key }) => key).sort()).toEqual([
    'contractops',
    'diligenceops',
    'distributionops',
    'energyops',
    'financeops',
    'packetops',
    'scout',
    'tokenops',
  ])
  for (const { key } of rails) {
    const started = await begin({ rail: key })
    expect(started.run).toMatchObject({ rail: key, usage: 'synthetic' })
    const { reaches, taken } = follow(started)
    await reaches('closed')
    expect(await taken(), key).toMatchObject({
      return_package: { rail: key, usage: 'synthetic', partial: false },
      completion: { verdict: 'proven' },
      verification_packet: { verified: true },
    })
  }
})

verifies('sandbox.run', 'another input has another result, a repeat has the same run', async () => {
  const sample = railOf('tokenops').sandboxInput as Record<string, unknown>
  const runs = [await begin(), await begin({ input: { ...sample, budget_minor: 1 } })]
  const results: string[] = []
  for (const started of runs) {
    const { reaches, taken } = follow(started)
    await reaches('closed')
    results.push((await taken()).return_package.result_sha256)
  }
  expect(new Set(results).size).toBe(2)
  const mine = caller({ idempotencySecret: 'b'.repeat(22) })
  const asked = { rail: 'scout', idempotency_key: freshKey() } as const
  const [one, again] = [
    (await mine.call('agent-sandbox-run', asked)).body,
    (await mine.call('agent-sandbox-run', asked)).body,
  ]
  expect(again.run.run_id).toBe(one.run.run_id)
  const other = caller({ idempotencySecret: 'c'.repeat(22) })
  expect((await other.call('agent-sandbox-run', asked)).body.run.run_id).not.toBe(one.run.run_id)
})

verifies(
  'sandbox.run',
  'its credit is of the sandbox, and its receipts say synthetic',
  async () => {
    const started = await begin({ rail: 'packetops' })
    await follow(started).reaches('closed')
    const usage = await apis.db
      .selectFrom('usage_events')
      .select(['event_id'])
      .where('run_id', '=', started.run.run_id)
      .execute()
    const subjects = [String(started.run.entitlement_id), ...usage.map(({ event_id }) => event_id)]
    const postings = await apis.db
      .selectFrom('postings')
      .innerJoin('receipts', 'receipts.receipt_id', 'postings.receipt_id')
      .select(['account', 'units', 'jws'])
      .where('subject', 'in', subjects)
      .execute()
    expect(postings.reduce((sum, { units }) => sum + units, 0)).toBe(0)
    const accounts = new Set(postings.map(({ account }) => account))
    expect([...accounts].sort()).toEqual([
      'clearing:sandbox',
      `credit:${started.run.entitlement_id}`,
      'revenue:sandbox',
    ])
    for (const { jws } of postings) expect(decodeJwt(jws)).toMatchObject({ usage: 'synthetic' })
  },
)

const gapped: readonly RailKey[] = ['financeops', 'distributionops', 'packetops']
for (const rail of gapped)
  verifies(
    'sandbox.fault.missing-evidence',
    `${rail} waits for evidence, and its token supplies it`,
    async () => {
      const { reaches, ledger, recover, read, taken } = follow(
        await begin({ rail, fault: 'missing_evidence' }),
      )
      await reaches('evidence_partial')
      expect(await read()).toMatchObject({
        run: {
          state: 'evidence_partial',
          gaps: expect.arrayContaining([expect.objectContaining({ kind: 'needed' })]),
        },
      })
      expect(eventsOf(await ledger())).toContain('evidence_missing')
      const input =
        rail === 'packetops' ? packetWithContent() : (railOf(rail).sandboxInput as never)
      await recover({ action: 'supply_evidence', input })
      await reaches('closed')
      expect((await taken()).return_package.gaps).toEqual([])
    },
    60_000,
  )

/** The sample packet, with the text of every item and an item for every section. */
function packetWithContent() {
  const sample = railOf('packetops').sandboxInput as { items: Record<string, unknown>[] }
  const items = sample.items.map(({ sha256: _digest, ...item }) => ({
    content: 'Seen and filed.',
    ...item,
  }))
  const there = new Set(sample.items.map(({ section }) => section))
  const missing = profiles.soc2_evidence_packet.filter(({ key }) => !there.has(key))
  const more = missing.map(({ key }) => {
    return { name: `${key}.txt`, section: key, content: 'Seen and filed.', issued_at: '2026-06-01' }
  })
  return { ...sample, items: [...items, ...more] }
}

verifies(
  'sandbox.fault.worker-exception',
  'its worker fails, an exception stops it, and a replay completes it',
  async () => {
    const { reaches, ledger, exceptions, recover, taken } = follow(
      await begin({ fault: 'worker_exception' }),
    )
    await reaches('exception_open')
    expect(eventsOf(await ledger())).toContain('exception_raised')
    const [exception] = await exceptions()
    expect(exception).toMatchObject({
      code: 'worker_failed',
      detail: expect.stringContaining('asked for an exception'),
      state: 'open',
    })
    await recover({ exception_id: String(exception?.exception_id), action: 'retry_step' })
    await reaches('closed')
    expect((await taken()).completion.verdict).toBe('proven')
  },
)

verifies(
  'sandbox.slots',
  'runs without an agent take no slot of an order or of a rail',
  async () => {
    const failing = Array.from({ length: 3 }, () => begin({ fault: 'worker_exception' }))
    for (const started of await Promise.all(failing)) await follow(started).reaches('operating')
    const atWork = async (usage: 'synthetic' | 'operational') => {
      const task = { agent_id: null, rail: 'tokenops', usage } as TaskRow
      return transaction(apis.db, (tx) => countAtWork(tx, task))
    }
    expect(await atWork('synthetic')).toMatchObject({ agent: 3, rail: 3 })
    expect(await atWork('operational')).toMatchObject({ agent: 0, rail: 0 })
  },
)

verifies(
  'sandbox.fault.callback-failure',
  'the first attempt of its callback is refused, and the next one taken',
  async () => {
    const { reaches, ledger, ...started } = await (async () => {
      const begun = await begin({ rail: 'scout', fault: 'callback_failure' })
      return { ...begun, ...follow(begun) }
    })()
    await reaches('callback_pending')
    await reaches('closed')
    expect(eventsOf(await ledger()).slice(-3)).toEqual([
      'callback_scheduled',
      'callback_delivered',
      'closed',
    ])
    const receiver = new URL(String(started.callback_url)).searchParams.get('receiver')
    const inbox = await caller().call('callback-demo-read', { receiver: String(receiver) })
    expect(inbox.body.items).toMatchObject([
      { event: 'task_updated', verified: true, attempts: 2, received_at: expect.any(String) },
    ])
  },
)

const count = async (table: string): Promise<unknown> => {
  const { rows } = await sql`select count(*)::int as n from ${sql.table(table)}`.execute(apis.db)
  return rows[0]
}
const kept = () => Promise.all(['tasks', 'quotes', 'entitlements', 'task_documents'].map(count))

verifies('sandbox.refusals', 'what it does not take is refused and leaves nothing', async () => {
  const before = await kept()
  const sample = railOf('tokenops').sandboxInput as Record<string, unknown>
  const uploaded = { ...sample, usage: { sha256: 'a'.repeat(64) } }
  const refusals: [status: number, code: string, asked: Asked][] = [
    [400, 'invalid_request', { rail: 'ghost' as RailKey }],
    [400, 'invalid_request', { fault: 'fire' as 'none' }],
    [400, 'invalid_request', { fault: 'missing_evidence', input: {} }],
    [422, 'input_rejected', { input: { usage: 7 } }],
    [422, 'evidence_mismatch', { input: uploaded }],
    [422, 'callback_refused', { callback_url: 'https://hooks.example.com/in' }],
    [422, 'callback_refused', { callback_url: 'http://169.254.169.254/latest' }],
    [422, 'callback_refused', { callback_url: 'http://[', fault: 'callback_failure' }],
    [413, 'payload_too_large', { input: { padding: 'x'.repeat(1_100_000) } }],
  ]
  for (const [status, code, asked] of refusals)
    expect(await problemOf(begin(asked)), JSON.stringify(asked).slice(0, 80)).toMatchObject({
      status,
      code,
    })
  expect(await kept()).toEqual(before)
})

verifies('sandbox.refusals', 'a secret in the input is 422, and is stored nowhere', async () => {
  const before = await kept()
  const secret = `sk_live_${freshKey()}${freshKey()}${freshKey()}`
  const key = `-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI${freshKey()}\n-----END PRIVATE KEY-----`
  for (const text of [secret, key]) {
    const input = { task: `Find a service. My key: ${text}` }
    const problem = await problemOf(begin({ rail: 'scout', input }))
    expect(problem).toMatchObject({ status: 422, code: 'forbidden_material' })
    expect(JSON.stringify(problem)).not.toContain(text)
    expect(apis.logged()).not.toContain(text)
  }
  expect(await kept()).toEqual(before)
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      and query_to_xml(format('select * from %I', relname), true, true, '')::text like ${`%${secret}%`}) as found`.execute(
    apis.db,
  )
  expect(rows).toEqual([{ found: false }])
})

verifies('sandbox.tokens', 'a token reads and recovers its own run alone', async () => {
  const { run } = await begin({ rail: 'scout' })
  const other = await begin({ rail: 'scout' })
  const holder = caller({ statusToken: other.status_token })
  expect(
    await codeOf(holder.call('get-run-status', { mode: 'get_run_status', run_id: run.run_id })),
  ).toBe('not_found')
  const unknown = `tk_${'A'.repeat(43)}`
  const agent = await newAgentClient(apis.hosts[0]!).register({ sandbox: true })
  for (const statusToken of [unknown, agent.status_token, 'tk_short']) {
    const stranger = caller({ statusToken })
    expect(await problemOf(stranger.call('agent-sandbox-read', {}))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  }
  expect(
    await codeOf(
      caller({ statusToken: unknown }).call('task-recover', {
        action: 'replay',
        idempotency_key: freshKey(),
      }),
    ),
  ).toBe('not_found')
})

verifies(
  'sandbox.contract',
  'without a token it says what it takes and counts its runs',
  async () => {
    const read = async () => {
      const { body } = await caller().call('agent-sandbox-read', {})
      if ('run' in body) throw new Error('it was read without a token')
      return body
    }
    const before = await read()
    expect(before.rails).toEqual(rails.map(({ key }) => key))
    expect(before.operations.map(({ id }) => id)).toEqual([
      'agent-sandbox-read',
      'agent-sandbox-run',
    ])
    await begin({ rail: 'scout' })
    const total = (live: Record<string, number>) => Object.values(live).reduce((a, b) => a + b, 0)
    expect(total((await read()).live)).toBe(total(before.live) + 1)
  },
)

verifies('sandbox.quota', 'a client address begins so many runs a day and no more', async () => {
  const few = await startComposed({
    env: { TRUST_PROXY: '1', QUOTA_TASKS_PER_DAY: '9/2/3/9' },
  })
  const start = async (from: string) => {
    const response = await fetch(`${few.hosts[0]?.base}/api/agent-sandbox`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ rail: 'scout', idempotency_key: freshKey() }),
    })
    return ((await response.json()) as { code: string }).code
  }
  try {
    // Without Temporal, a run that is let in is 503.
    const one = ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2', '203.0.113.2']
    const codes: string[] = []
    for (const from of one) codes.push(await start(from))
    expect(codes).toEqual([
      'unavailable',
      'unavailable',
      'rate_limited',
      'unavailable',
      'rate_limited',
    ])
  } finally {
    await few.stop()
  }
})
