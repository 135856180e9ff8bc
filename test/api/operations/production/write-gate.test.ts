import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { type Tx, transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import type { AnyOperation } from '../../../../api/operation.ts'
import { operations } from '../../../../api/operations/index.ts'
import { WriteGate } from '../../../../api/services/authority/write-gate.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { askedWrite, type OpenProduction, openProduction } from '../../../support/production.ts'
import { patience } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let agent: OpenProduction
beforeAll(async () => {
  apis = await startComposed({
    apis: 2,
    env: { LIMIT_AGENT_PER_MINUTE: '6000', LIMIT_PUBLIC_WRITES_PER_MINUTE: '6000' },
  })
  agent = await openProduction(apis)
})
afterAll(() => apis?.stop())

type Asked = Partial<InputOf<'write-gate-validate'>>
const ask = async (other: Asked = {}, by: { client: typeof agent.client } = agent) =>
  (await by.client.call('write-gate-validate', askedWrite(agent.callback_url, other))).body
const stranger = () => ({ client: createClient({ baseUrl: apis.hosts[0]!.base }) })
type Answer = Awaited<ReturnType<typeof ask>>
const failing = ({ checks }: Answer) => checks.filter(({ ok }) => !ok).map(({ check }) => check)
const read = async () => (await stranger().client.call('write-gate-read', {})).body
const counted = async () =>
  (await read()).operations_behind_gate.find(
    ({ operation_id }) => operation_id === 'first-paid-run-execute',
  )

/** The gate of a process that resolves every name to these addresses. */
const gateAt = (addresses: string[]) =>
  new WriteGate({
    db: apis.db,
    issuer: '',
    environment: 'local',
    signReceipt: () => Promise.reject(new Error('nothing is signed')),
    registry: operations,
    callbackHosts: { ownHosts: [], exempt: [], demoReceiver: 'http://demo.invalid/x' },
    resolve: async () => addresses,
  })

verifies('production.gate-contract', 'the descriptor prints registry and live state', async () => {
  const { checks, allowed_rails, operations_behind_gate, paused } = await read()
  expect(checks.map(({ check }) => check)).toEqual([
    'scoped_key',
    'idempotency',
    'allowed_rail',
    'https_callback',
    'audit_event',
  ])
  const gated = (operations as readonly AnyOperation[]).filter(({ gate }) => gate !== undefined)
  expect(operations_behind_gate.map(({ operation_id }) => operation_id)).toEqual(
    gated.map(({ id }) => id),
  )
  expect(allowed_rails).toContain('packetops')
  expect(allowed_rails).not.toContain('contractops')
  expect(paused).toBeNull()
  const before = await counted()
  await ask()
  await ask({ rail: 'scout' })
  const after = await counted()
  expect([after?.validated, after?.refused, after?.written]).toEqual([
    (before?.validated ?? 0) + 1,
    (before?.refused ?? 0) + 1,
    before?.written,
  ])
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  const pause = { scope: 'service', reason: 'maintenance' } as const
  const set = (is: boolean) =>
    operator.call('pause-set', { ...pause, paused: is, idempotency_key: freshKey() })
  await set(true)
  expect((await read()).paused).toBe('maintenance')
  await set(false)
  expect((await read()).paused).toBeNull()
})

verifies('production.gate-events', 'the agent of an event reads it, and no other', async () => {
  const { audit_event_id, checks } = await ask({ rail: 'scout' })
  const of = async (by: { client: typeof agent.client }) =>
    (await by.client.call('write-gate-read', { audit_event_id })).body.event
  expect(await of(agent)).toMatchObject({
    audit_event_id,
    kind: 'validated',
    operation_id: 'first-paid-run-execute',
    rail: 'scout',
    passed: false,
    checks,
  })
  const another = await openAgentUse(apis.hosts[0]!, apis.operator)
  for (const by of [another, stranger()])
    expect(await problemOf(of(by))).toMatchObject({ status: 404, code: 'not_found' })
  const open = await ask({}, stranger())
  const { audit_event_id: unowned } = open
  const read = await stranger().client.call('write-gate-read', { audit_event_id: unowned })
  expect(read.body.event).toMatchObject({ audit_event_id: unowned, passed: false })
  // The write is stored; no worker continues it here.
  await problemOf(agent.execute(await agent.input()))
  const { rows } = await sql<{ id: string }>`select audit_event_id as id from production_writes
    where kind = 'written' and agent_id = ${agent.agentId} order by checked_at desc limit 1`.execute(
    apis.db,
  )
  const written = { audit_event_id: String(rows[0]?.id) }
  expect((await agent.client.call('write-gate-read', written)).body.event).toMatchObject({
    ...written,
    kind: 'written',
    passed: true,
    code: null,
  })
})

describe('what fails', () => {
  verifies(
    'production.gate-checks',
    'a complete write passes, with a verified receipt',
    async () => {
      const answer = await ask()
      expect(answer).toMatchObject({ pass: true, executed: false, money_movement: false })
      const { receipt_id, payload } = answer.receipt
      expect(payload).toMatchObject({
        kind: 'write_gate',
        agent_id: agent.agentId,
        credential_id: agent.credentialId,
        passed: true,
        callback_sha256: sha256Hex(agent.callback_url),
      })
      const { body } = await stranger().client.call('verify-receipt', { receipt_id })
      expect(body).toMatchObject({ verified: true, kind: 'write_gate' })
    },
  )

  verifies(
    'production.gate-checks',
    'a call without a key, or with a bad one, fails scoped_key',
    async () => {
      const reader = await openAgentUse(apis.hosts[0]!, apis.operator)
      const none = await ask({}, stranger())
      expect([none.pass, failing(none)]).toEqual([false, ['scoped_key']])
      expect(none.receipt.payload).toMatchObject({ agent_id: null, credential_id: null })
      const unscoped = await ask({}, reader)
      expect(failing(unscoped)).toEqual(['scoped_key'])
      expect(unscoped.checks[0]?.detail).toContain('production:write')
      const forged = createClient({
        baseUrl: apis.hosts[0]!.base,
        agent: agent.credential.replace(/.{8}$/, '00000000'),
      })
      expect(failing(await ask({}, { client: forged }))).toEqual(['scoped_key'])
      // The same key is enough for another operation behind the gate.
      expect((await ask({ operation_id: 'start-agent-run' }, reader)).pass).toBe(true)
    },
  )

  verifies('production.gate-checks', 'rails that are not sold or not its own', async () => {
    expect(failing(await ask({ rail: 'scout' }))).toEqual(['allowed_rail'])
    const one = await openProduction(apis, { rails: ['diligenceops'] })
    expect(failing(await ask({ rail: 'packetops' }, one))).toEqual(['allowed_rail'])
  })

  verifies('production.gate-checks', 'callbacks that are not public HTTPS', async () => {
    const hostile = [
      'http://hooks.example.com/x',
      'https://127.0.0.1/x',
      'https://[::1]/x',
      'https://localhost/x',
      'https://user@hooks.example.com/x',
      'https://hooks.example.com:8443/x',
      'https://0x7f000001/x',
      'https://name-that-does-not-resolve.invalid/x',
    ]
    for (const callback_url of hostile) {
      const { pass, checks } = await ask({ callback_url }).catch((error: unknown) => {
        throw new Error(callback_url, { cause: error })
      })
      const failed = checks.filter(({ ok }) => !ok).map(({ check }) => check)
      expect([callback_url, pass, failed]).toEqual([callback_url, false, ['https_callback']])
    }
  })

  verifies('production.gate-checks', 'a public name that leads inside', async () => {
    const to = (addresses: string[]) =>
      gateAt(addresses).resolveCallback('first-paid-run-execute', 'https://hooks.example.com/x')
    expect((await to(['93.184.215.14'])).ok).toBe(true)
    for (const inside of ['10.0.0.1', '169.254.169.254', '127.0.0.1', '::1', 'fd00::1'])
      expect(await to(['93.184.215.14', inside])).toEqual({
        ok: false,
        detail: 'its host has no public address',
      })
  })

  verifies('production.gate-checks', 'a key that was used for another payload', async () => {
    const used = { idempotency_key: freshKey() }
    const input = await agent.input({
      ...used,
      customer_account: 'a',
      callback_url: 'https://x.invalid/',
    })
    await transaction(apis.db, async (tx) => {
      await sql`insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding, path)
        values (${`c-${freshKey()}`}, ${`agent:${agent.agentId}`}, 'first-paid-run-execute', ${used.idempotency_key},
          ${digestOf(input)}, 'open', 'open', 'none', '/')`.execute(tx)
    })
    const other = await ask({ ...used, payload_sha256: '0'.repeat(64) })
    expect(failing(other)).toEqual(['idempotency'])
  })

  verifies('production.gate-checks', 'an operation that is not behind the gate', async () => {
    for (const operation_id of ['payout-create', 'no-such-operation']) {
      const problem = await problemOf(ask({ operation_id }))
      expect([problem.status, problem.code]).toEqual([404, 'not_found'])
    }
  })
})

verifies(
  'production.gate-moves-nothing',
  'a validation leaves an event and a receipt',
  async () => {
    const rows = async () => {
      const tables = ['tasks', 'work_orders', 'payment_references', 'postings', 'runs', 'quotes']
      const of = (table: string) => `(select count(*)::int from ${table}) as ${table}`
      const { rows: found } = await sql
        .raw<Record<string, number>>(`select ${tables.map(of).join(', ')}`)
        .execute(apis.db)
      return found[0]
    }
    const before = await rows()
    const { audit_event_id, receipt } = await ask()
    expect(await rows()).toEqual(before)
    const event = await apis.db
      .selectFrom('production_writes')
      .selectAll()
      .where('audit_event_id', '=', audit_event_id)
      .executeTakeFirstOrThrow()
    expect(event).toMatchObject({ kind: 'validated', passed: true, receipt_id: receipt.receipt_id })
    expect(JSON.stringify(event)).not.toContain(agent.callback_url)
  },
)

verifies('production.gate-once', 'fifty parallel validations are one event', async () => {
  const asked = askedWrite(agent.callback_url)
  // One is done after the other: who waits too long is asked to come again.
  const clients = apis.hosts.map(({ base }) =>
    createClient({ baseUrl: base, agent: agent.credential, ...patience }),
  )
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      clients[at % clients.length]!.call('write-gate-validate', asked),
    ),
  )
  const events = new Set(answers.map(({ body }) => body.audit_event_id))
  const receipts = new Set(answers.map(({ body }) => body.receipt.receipt_id))
  expect([events.size, receipts.size]).toEqual([1, 1])
  const problem = await problemOf(
    agent.client.call('write-gate-validate', { ...asked, rail: 'diligenceops' }),
  )
  expect([problem.status, problem.code]).toEqual([422, 'idempotency_conflict'])
})

verifies(
  'production.gate-once',
  'a secret in the callback URL is refused and not kept',
  async () => {
    const secret = 'sk_live_Zq7Xw9Kp2Vn4gate'
    const callback_url = `https://hooks.example.com/?token=${secret}`
    const problem = await problemOf(ask({ callback_url }))
    expect([problem.status, problem.code]).toEqual([422, 'forbidden_material'])
    const { rows } = await sql`select 1 from production_writes w join receipts r using (receipt_id)
    where w::text like ${`%${secret}%`} or r.jws like ${`%${secret}%`}`.execute(apis.db)
    expect(rows).toEqual([])
  },
)

verifies('production.gate-guarded', 'SQL keeps events and refuses dead keys', async () => {
  const { audit_event_id } = await ask()
  const refused = (statement: string) =>
    sql
      .raw(statement)
      .execute(apis.db)
      .then(
        () => 'done',
        (error: unknown) => String(error),
      )
  const at = `where audit_event_id = '${audit_event_id}'`
  expect(await refused(`update production_writes set passed = false ${at}`)).toContain('stays')
  expect(await refused(`delete from production_writes ${at}`)).toContain('stays')
  const other = await openProduction(apis)
  const written = (checks: string, passed = true) =>
    refused(`insert into production_writes (audit_event_id, kind, operation_id, rail, agent_id, credential_id, subject, checks, passed)
      select 'aud_' || encode(sha256('${freshKey()}'::bytea), 'hex'), 'written', 'x', 'packetops', agent_id, credential_id, 's', ${checks}, ${passed}
      from agent_credentials where credential_id = '${other.credentialId}'`)
  const checks = `(select checks from production_writes ${at})`
  expect(await written(checks)).toBe('done')
  const bad = `'[{"ok":true},{"ok":true},{"ok":false},{"ok":true},{"ok":true}]'::json`
  expect(await written(bad)).toContain('five checks')
  expect(await written(`'[]'::json`)).toContain('five checks')
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  await operator.call('access-key-revoke', {
    credential_id: other.credentialId,
    reason: 'lost',
    idempotency_key: freshKey(),
  })
  expect(await written(checks)).toContain('live key')
})

verifies(
  'production.gate-transaction',
  'a write and a revocation are one after the other',
  async () => {
    const writing = await openProduction(apis)
    const { agentId, credentialId } = writing
    const admit = (tx: Tx) =>
      gateAt([]).admit(tx, {
        operationId: 'start-agent-run',
        writer: { agentId, credentialId, tool: null },
        rail: 'packetops',
        callbackUrl: null,
        callId: `c-${freshKey()}`,
        subject: 'task',
      })
    const revoke = sql`update agent_credentials set state = 'revoked', revoked_at = now() where credential_id = ${credentialId}`
    const impatiently = () =>
      transaction(apis.db, async (tx) => {
        await sql`set local lock_timeout = '100ms'`.execute(tx)
        await revoke.execute(tx)
      })
    await transaction(apis.db, async (tx) => {
      await admit(tx)
      await expect(impatiently()).rejects.toThrow('lock timeout')
    })
    await transaction(apis.db, async (tx) => {
      await sql`select 1 from agents where agent_id = ${agentId}`.execute(tx)
      // Committed after this transaction began, and before it writes.
      await revoke.execute(apis.db)
      await expect(admit(tx)).rejects.toMatchObject({ refusal: { code: 'credential_invalid' } })
    })
    const { rows } =
      await sql`select 1 from production_writes where credential_id = ${credentialId}`.execute(
        apis.db,
      )
    expect(rows).toHaveLength(1)
  },
)

verifies('production.credential-policy', 'the policy is what the checks do', async () => {
  const policy = async () => (await stranger().client.call('credential-policy-read', {})).body
  const before = await policy()
  const registry: readonly AnyOperation[] = operations
  expect(before.operations.map(({ operation_id }) => operation_id)).toEqual(
    registry.map(({ id }) => id),
  )
  const gated = before.operations.filter((one) => one.gated).map(({ operation_id }) => operation_id)
  expect(gated).toEqual((await read()).operations_behind_gate.map((one) => one.operation_id))
  const reader = await openAgentUse(apis.hosts[0]!, apis.operator)
  const refused = await reader.client.call('credential-enforce', {
    operation_id: 'first-paid-run-execute',
    rail: 'scout',
    amount_usd: 1_000_000,
    idempotency_key: freshKey(),
  })
  const order = before.order_of_checks.map(({ code }) => code)
  const reasons = refused.body.reasons.map(({ code }) => code)
  expect(reasons).toEqual(['scope_denied', 'rail_not_allowed'])
  expect(reasons).toEqual(order.filter((code) => reasons.includes(code)))
  expect((await policy()).live).toEqual({ ...before.live, deny: before.live.deny + 1 })
})
