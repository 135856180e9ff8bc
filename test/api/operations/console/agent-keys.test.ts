import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { assertMaySpend } from '../../../../activities/credit/spending-limit.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { newAgentClient, trustedAgent } from '../../../support/registering-agent.ts'
import { codeOf, key } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposed>>
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
const operator = (api = 0) =>
  createClient({ baseUrl: apis.hosts[api]!.base, operator: apis.operator })
const read = async (agent_id: string) => (await operator().call('agent-read', { agent_id })).body
const trusted = (limits = {}) => trustedAgent(hosts(), apis.operator, undefined, limits)

verifies('console.keys', 'an agent is read with its limits, keys and decisions', async () => {
  const limits = { rails: ['tokenops' as const], max_usd: 250, concurrent_runs: 2 }
  const { registered, credentialId } = await trusted(limits)
  const id = registered.agent.agent_id
  const detail = await read(id)
  expect(detail).toMatchObject({
    agent: { agent_id: id, trust: { state: 'trusted', limits } },
    allowed_decisions: ['hold'],
    access_keys: [
      { credential_id: credentialId, version: 1, state: 'active', rails: ['tokenops'] },
    ],
    signing_keys: [{ version: 1, state: 'active' }],
    decisions: [{ decision: 'approve', limits, note: 'looked at' }],
  })
  expect(JSON.stringify(detail)).not.toMatch(/secret|ag_[0-9a-f]{16}_/)
  expect(await codeOf(read(`agt_${'0'.repeat(64)}`))).toBe('not_found')
})

verifies('console.keys', 'an access key is rotated by an operator, with a receipt', async () => {
  const { registered } = await trusted()
  const agent_id = registered.agent.agent_id
  const rotate = () =>
    operator().call('signing-rotate', {
      mode: 'rotate_signing_credential',
      target: 'own_access_key',
      agent_id,
      reason: 'a year old',
      idempotency_key: key(),
    })
  expect((await rotate()).body.receipt).toMatchObject({
    kind: 'key_event',
    payload: { reason: 'a year old' },
  })
  const states = (await read(agent_id)).access_keys.map(({ state }) => state)
  expect(states).toEqual(['pending', 'active'])
  expect(await codeOf(rotate())).toBe('rotation_in_progress')
})

verifies('console.keys', 'a revoked access key is refused in every process', async () => {
  const { registered, credential, credentialId } = await trusted()
  const agent = createClient({ baseUrl: apis.hosts[1]!.base, agent: credential })
  const use = () => agent.call('self-serve-loop-read', {})
  await use()
  const revocation = { credential_id: credentialId, reason: 'leaked', idempotency_key: key() }
  const { body } = await operator().call('access-key-revoke', revocation)
  expect(body).toMatchObject({
    credential: { credential_id: credentialId, state: 'revoked' },
    receipt: { kind: 'key_event', payload: { act: 'revoke', reason: 'leaked' } },
  })
  expect((await operator().call('access-key-revoke', revocation)).body.receipt.receipt_id).toBe(
    body.receipt.receipt_id,
  )
  const again = { ...revocation, idempotency_key: key() }
  expect(await codeOf(operator(1).call('access-key-revoke', again))).toBe('wrong_state')
  const unknown = { ...again, credential_id: '0'.repeat(16) }
  expect(await codeOf(operator().call('access-key-revoke', unknown))).toBe('not_found')
  const presented = await fetch(`${apis.hosts[1]!.base}/api/credential-enforcement-middleware`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
    body: JSON.stringify({ operation_id: 'self-serve-loop-submit' }),
  })
  expect(await presented.text()).not.toContain('"allow"')
  expect((await read(registered.agent.agent_id)).access_keys[0]?.revoked_at).not.toBeNull()
})

verifies('console.keys', 'an agent that was never trusted has no access key', async () => {
  const { agent } = await newAgentClient(hosts()).register()
  expect(await read(agent.agent_id)).toMatchObject({
    access_keys: [],
    decisions: [],
    allowed_decisions: ['approve', 'reject', 'hold'],
  })
})

const limitsSet = (agent_id: string, limits: InputOf<'agent-limits-set'>['limits'], api = 0) =>
  operator(api).call('agent-limits-set', {
    agent_id,
    limits,
    reason: 'a trial',
    idempotency_key: key(),
  })

verifies(
  'console.limits',
  'limits change without a hold, and hold with the next call',
  async () => {
    const { registered, credential } = await trusted({ max_usd: 500, concurrent_runs: 2 })
    const id = registered.agent.agent_id
    const call = {
      agent_id: id,
      limits: { max_usd: 100, concurrent_runs: null, scopes: ['runs:read' as const] },
      reason: 'a trial',
      idempotency_key: key(),
    }
    const { body } = await operator().call('agent-limits-set', call)
    const limits = { max_usd: 100, scopes: ['runs:read'] }
    const previous_limits = { max_usd: 500, concurrent_runs: 2 }
    const facts = {
      act: 'agent_limits_set',
      act_on: id,
      reason: 'a trial',
      limits,
      previous_limits,
    }
    expect(body).toMatchObject({ limits, previous_limits, receipt: { payload: facts } })
    expect((await operator(1).call('agent-limits-set', call)).body).toEqual(body)
    expect(await read(id)).toMatchObject({
      agent: { trust: { state: 'trusted', limits } },
      decisions: [{ decision: 'approve' }],
    })
    const agent = createClient({ baseUrl: apis.hosts[1]!.base, agent: credential })
    const sign = () =>
      agent.call('signing-sign', {
        mode: 'sign_with_active_signing_version',
        payload: { rows: 3 },
        context: 'month end',
      })
    expect(await codeOf(sign())).toBe('scope_denied')
    await limitsSet(id, { scopes: null })
    await sign()
  },
)

verifies('console.limits', 'the next access key is for what the limits allow then', async () => {
  const { registered } = await trusted({ rails: ['tokenops' as const] })
  const agent_id = registered.agent.agent_id
  await limitsSet(agent_id, { rails: null })
  await operator().call('signing-rotate', {
    mode: 'rotate_signing_credential',
    target: 'own_access_key',
    agent_id,
    reason: 'more rails',
    idempotency_key: key(),
  })
  const rails = (await read(agent_id)).access_keys.map((one) => one.rails)
  expect(rails).toEqual([['tokenops', 'financeops'], ['tokenops']])
})

verifies('console.limits', 'only a trusted agent’s limits change, never to nothing', async () => {
  const { registered } = await trusted()
  const id = registered.agent.agent_id
  expect(await codeOf(limitsSet(id, { rails: ['scout'] }))).toBe('invalid_request')
  expect(await codeOf(limitsSet(id, {}))).toBe('invalid_request')
  expect(await codeOf(limitsSet(`agt_${'0'.repeat(64)}`, { max_usd: 1 }))).toBe('not_found')
  const { agent } = await newAgentClient(hosts()).register()
  expect(await codeOf(limitsSet(agent.agent_id, { max_usd: 1 }))).toBe('wrong_state')
  const byHand = apis.db.updateTable('agents').set({ limits: '{"max_usd":9}' })
  await expect(byHand.where('agent_id', '=', id).execute()).rejects.toThrow('with a receipt')
})

verifies(
  'console.limits',
  'a change waits for payments under way by the earlier limit',
  async () => {
    const { registered } = await trusted({ max_usd: 500 })
    const id = registered.agent.agent_id
    let settled = false
    const changed = transaction(apis.db, async (tx) => {
      await assertMaySpend(tx, id, 400)
      const change = limitsSet(id, { max_usd: 100 }).finally(() => {
        settled = true
      })
      await waitForLock()
      expect(settled).toBe(false)
      return { change }
    })
    await (await changed).change
    await expect(transaction(apis.db, (tx) => assertMaySpend(tx, id, 400))).rejects.toThrow('limit')
  },
)

/** Waits until a statement of another connection waits for a row of the agents. */
async function waitForLock(): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%agents%for update%'`.execute(apis.db)
      return rows[0]?.n
    })
    .toBeGreaterThan(0)
}
