import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { ledgerEntry } from '#domain/tasks/ledger.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { freeProof, paidDelivery } from '../../../support/commerce.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(2)
})
afterAll(() => apis?.stop())

const newAgent = () => apis.agent(['runs:read', 'runs:write', 'proofs:publish', 'profile:write'])
type Agent = Awaited<ReturnType<typeof newAgent>>
const read = async (query: { agent_id: string } | { proof_id: string }) =>
  (await apis.open().call('agent-passport-read', query)).body
const verify = async (passport: string) =>
  (await apis.open().call('agent-passport-verify', { passport })).body
const publishProfile = (by: Agent, publish_profile: boolean) =>
  by.call('agent-registry-profile', {
    name: 'Reader',
    description: 'Reads ledgers.',
    capabilities: [],
    rails: [],
    publish_profile,
    idempotency_key: key(),
  })
async function publishProof(by: Agent) {
  const asked = await paidDelivery(apis, by)
  const { proof_id, receipt } = (await by.call('commerce-proof-evaluate', asked)).body
  const selector = { receipt_id: receipt.receipt_id }
  await expect
    .poll(async () => (await apis.open().call('verify-receipt', selector)).body.verified)
    .toBe(true)
  const consent = { proof_id, publication_consent: true, idempotency_key: key() }
  await by.call('activity-feed-publish', consent)
  return { proof_id, withdraw: { ...consent, publication_consent: false, idempotency_key: key() } }
}
/** An operational run of this agent with a result, stored without the work that leads to it; `event` is its last. */
const storeRun = ({ agentId }: Agent, event: 'receipts_issued' | 'abandoned' = 'receipts_issued') =>
  transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    const digest = (key() + key() + key() + key()).slice(0, 64)
    const [task_id, run_id] = [`task-${digest}`, `run_${digest}`]
    await sql`insert into tasks (task_id, state, sequence, head_hash, agent_id, rail, tier, usage, on_gaps, terms_sha256,
        input_sha256, review_decision, run_id)
      values (${task_id}, 'operating', 1, ${digest}, ${agentId}, 'packetops', 'standard', 'operational', 'report',
        ${digest}, ${digest}, 'approve', ${run_id})`.execute(tx)
    await sql`insert into runs (run_id, task_id, step, finished_at)
      values (${run_id}, ${task_id}, null, clock_timestamp())`.execute(tx)
    const move = { event, from_state: 'attested', to_state: 'receipt_issued' } as const
    const at = new Date().toISOString()
    const entry = ledgerEntry(task_id, undefined, { ...move, at, actor: 'service', data: {} })
    await sql`insert into task_events (task_id, sequence, event_id, event, from_state, to_state, actor, data, data_sha256, at,
        prev_hash, hash)
      values (${task_id}, 1, ${digest}, ${event}, ${move.from_state}, ${move.to_state}, 'service', '{}',
        ${entry.data_sha256}, ${at}, ${entry.prev_hash}, ${entry.hash})`.execute(tx)
  })

verifies('passport.consent', 'without consent there is no passport, and no count', async () => {
  const agent = await newAgent()
  const query = { agent_id: agent.agentId }
  expect(await codeOf(read(query))).toBe('not_found')
  const { proof_id, withdraw } = await publishProof(agent)
  const hidden = { completed_runs: null, verified_receipts: null, open_exceptions: null }
  const reliability = { published: 1, eligible_to_continue: 1 }
  expect((await read({ proof_id })).claims).toMatchObject({ ...hidden, reliability })
  expect((await read(query)).claims).toMatchObject({ ...hidden, reliability })
  await agent.call('activity-feed-publish', withdraw)
  expect(await codeOf(read({ proof_id }))).toBe('not_found')
  expect(await codeOf(read(query))).toBe('not_found')
  await publishProfile(agent, true)
  expect((await read(query)).claims).toMatchObject({ completed_runs: 0, reliability: null })
  await publishProfile(agent, false)
  expect(await codeOf(read(query))).toBe('not_found')
})

verifies('passport.records', 'a passport follows from the records', async () => {
  const agent = await newAgent()
  await publishProfile(agent, true)
  const query = { agent_id: agent.agentId }
  const count = async () =>
    (await apis.db.selectFrom('receipts').select('receipt_id').execute()).length
  const before = await count()
  const first = await read(query)
  expect(first).toMatchObject({
    kind: 'agent_passport',
    subject: agent.agentId,
    claims: {
      trust_state: 'trusted',
      badge_state: 'none',
      credential_bound: true,
      completed_runs: 0,
    },
  })
  expect(first.payload).toMatchObject(first.claims)
  expect(await count()).toBe(before)
  // A run that was given up has no receipts of its work, whatever it made.
  await storeRun(agent, 'abandoned')
  expect((await read(query)).claims).toMatchObject({ completed_runs: 0, verified_receipts: 0 })
  await storeRun(agent)
  expect((await read(query)).claims.completed_runs).toBe(1)
})

verifies(
  'passport.records',
  'a passport is signed once while the records say the same',
  async () => {
    const agent = await newAgent()
    await publishProfile(agent, true)
    const query = { agent_id: agent.agentId }
    const readAt = async (api: number) =>
      (await apis.open(api).call('agent-passport-read', query)).body
    const first = await Promise.all([0, 1, 0, 1].map(readAt))
    expect(new Set(first.map(({ jws }) => jws)).size).toBe(1)
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(first[0]!.claims.as_of) + 2_000)
    expect([await readAt(0), await readAt(1)]).toEqual([first[0], first[0]])
    await storeRun(agent)
    const changed = await readAt(1)
    expect(changed.claims.completed_runs).toBe(1)
    expect(changed.receipt_id).not.toBe(first[0]!.receipt_id)
    expect(await readAt(0)).toEqual(changed)
  },
)

verifies('passport.verify', 'a passport is verified, and what changed is named', async () => {
  const agent = await newAgent()
  await publishProfile(agent, true)
  const { jws } = await read({ agent_id: agent.agentId })
  expect(await verify(jws)).toMatchObject({ verified: true, current_claims_differ: [] })
  await storeRun(agent)
  expect((await verify(jws)).current_claims_differ).toEqual(['completed_runs'])
  await publishProfile(agent, false)
  expect((await verify(jws)).current_claims_differ).toEqual(['consent'])
  const [head, body, signature] = jws.split('.')
  const claims = JSON.parse(Buffer.from(String(body), 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...claims, completed_runs: 999 }))
  const altered = [head, forged.toString('base64url'), signature].join('.')
  expect(await verify(altered)).toMatchObject({ verified: false, current_claims_differ: [] })
  expect((await verify('a.b.c')).verified).toBe(false)
  const other = (await agent.call('commerce-proof-evaluate', freeProof())).body.passport.jws
  expect((await verify(other)).checks.at(-1)).toMatchObject({ check: 'kind', ok: false })
})
