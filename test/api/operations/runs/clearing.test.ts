import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { runIdOf } from '../../../../activities/tasks/facts.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { buyRun, freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { decide, type Hosts } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let buyer: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  buyer = await openAgentUse(hosts(), apis.operator)
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0] as Hosts
const open = () => createClient({ baseUrl: hosts().base })
/** The members of the return object, as Doc 1 (Resources) lists them. */
const members =
  'clearing_id, obligation_object, evidence_envelope, policy_scope, payment_reference, run_receipt, proof_state, clearing_decision, retry_available, handoff_ready, next_endpoint'
/** What the contract of a run that was bought by `start-agent-run` promises. */
const PROMISE = 'One standard run of packetops on the input of that digest.'
const asked = (run_id: string, other: Partial<InputOf<'clearing-run'>> = {}) => ({
  run_id,
  obligation: { statement: PROMISE, amount_usd: 107 },
  policy_scope: { rails: ['packetops' as const], amount_usd_max: 107 },
  idempotency_key: freshKey(),
  ...other,
})
const clearOf = async (input: InputOf<'clearing-run'>) =>
  (await buyer.client.call('clearing-run', input)).body
const read = async (clearing_id: string) =>
  (await buyer.client.call('clearing-read', { clearing_id })).body
/** A run that waits for its payment. */
async function unpaid() {
  const { quote_id } = await buyer.quote('packetops', Math.ceil(Math.random() * 900) + 1)
  const refused = await problemOf(buyer.start(buyer.startInput(quote_id)))
  return (refused as unknown as { run: { run_id: string } }).run.run_id
}
async function payFor(run_id: string) {
  const asking = { mode: 'get_run_status', run_id, wait_ms: 0 } as const
  const { run } = (await buyer.client.call('get-run-status', asking)).body
  return buyer.pay(run.quote_id ?? '')
}
const movements = async () =>
  (await sql<{ count: number }>`select count(*)::int as count from postings`.execute(apis.db))
    .rows[0]?.count

verifies('clearing.run', 'a run that was delivered as owed clears, once at its head', async () => {
  const { run_id, return_package_id } = (await buyRun(buyer)).return_package
  const before = await movements()
  const input = asked(run_id)
  const clearing = await clearOf(input)
  expect(Object.keys(clearing).join(', ')).toBe(members)
  expect(clearing).toMatchObject({
    clearing_decision: 'cleared',
    proof_state: 'proven',
    retry_available: false,
    handoff_ready: true,
    payment_reference: { state: 'verified', amount_usd: 107 },
    evidence_envelope: { return_package_id, task_state: 'closed', usage: 'operational' },
  })
  const { envelope_sha256, ...envelope } = clearing.evidence_envelope
  expect(sha256Hex(canonicalize(envelope) ?? '')).toBe(envelope_sha256)
  const { receipt_id } = clearing.run_receipt
  const verified = (await open().call('verify-receipt', { receipt_id })).body
  expect(verified).toMatchObject({ verified: true, kind: 'clearing' })
  expect(clearing.run_receipt.payload).toMatchObject({ envelope_sha256, money_movement: false })
  expect(JSON.stringify(clearing.run_receipt.payload)).not.toContain('standard run')

  // The same call, another key, and fifty at once are one clearing; other terms are refused.
  expect(await clearOf(input)).toEqual(clearing)
  const again = await Promise.all(Array.from({ length: 20 }, () => clearOf(asked(run_id))))
  expect(new Set(again.map(({ clearing_id }) => clearing_id))).toEqual(
    new Set([clearing.clearing_id]),
  )
  const other = { obligation: { statement: PROMISE, amount_usd: 99 } }
  expect(await problemOf(clearOf(asked(run_id, other)))).toMatchObject({
    code: 'idempotency_conflict',
    clearing_id: clearing.clearing_id,
  })
  expect(await read(clearing.clearing_id)).toEqual(clearing)
  expect((await buyer.client.call('clearing-read', { run_id })).body).toEqual(clearing)
  expect(await movements()).toBe(before)

  // A payment that changed after it: the clearing stays as decided, and nothing is handed off by it.
  const payment = clearing.payment_reference?.payment_reference_id ?? ''
  await sql`update payment_references set state = 'disputed' where payment_reference_id = ${payment}`.execute(
    apis.db,
  )
  expect(await read(clearing.clearing_id)).toEqual({
    ...clearing,
    handoff_ready: false,
    retry_available: true,
    next_endpoint: '/api/agent-run-clearing-spine',
  })
  expect(await clearOf(asked(run_id))).toMatchObject({ clearing_decision: 'human_review' })

  const stranger = await openAgentUse(hosts(), apis.operator)
  const own = { clearing_id: clearing.clearing_id }
  expect(await problemOf(stranger.client.call('clearing-read', own))).toMatchObject({ status: 404 })
  const foreign = [
    stranger.client.call('clearing-run', asked(run_id)),
    stranger.client.call('clearing-read', { run_id }),
  ].map(problemOf)
  for (const refused of await Promise.all(foreign))
    expect(refused).toMatchObject({ status: 404, code: 'not_found' })
  expect(await problemOf(open().call('clearing-read', own))).toMatchObject({ status: 401 })
})

verifies('clearing.run', 'what a run lacks decides, and another head decides again', async () => {
  const run_id = await unpaid()
  const first = await clearOf(asked(run_id, { obligation: { statement: 'a packet' } }))
  expect(first).toMatchObject({
    clearing_decision: 'blocked',
    proof_state: 'missing',
    handoff_ready: false,
    payment_reference: null,
  })
  const other = await unpaid()
  const terms = { obligation: { statement: PROMISE }, policy_scope: {} }
  const second = await clearOf(asked(other, terms))
  expect(second).toMatchObject({
    clearing_decision: 'retry',
    retry_available: true,
    next_endpoint: '/api/agent-payment-rail',
  })
  const reference = await payFor(other)
  const third = await clearOf(asked(other, terms))
  expect(third.clearing_id).not.toBe(second.clearing_id)
  expect(third).toMatchObject({
    clearing_decision: 'retry',
    payment_reference: {
      payment_reference_id: reference.payment_reference_id,
      settlement_receipt_id: null,
    },
  })
  expect(await read(second.clearing_id)).toMatchObject({ payment_reference: null })
})

verifies('clearing.statement', 'what the contract does not promise is not cleared', async () => {
  const { run_id } = (await buyRun(buyer)).return_package
  const statement = 'A return package of another run.'
  const made = await clearOf(asked(run_id, { obligation: { statement, amount_usd: 107 } }))
  const { contract_id, terms_sha256, checks } = made.evidence_envelope
  const { body } = await buyer.client.call('contract-read', { contract_id: contract_id ?? '' })
  expect(body.contract).toMatchObject({ terms_sha256, scope: [PROMISE, expect.anything()] })
  expect(made).toMatchObject({ clearing_decision: 'human_review', handoff_ready: false })
  expect(checks.filter(({ outcome }) => outcome !== 'passed')).toEqual([
    {
      check: 'obligation',
      outcome: 'review',
      detail: `${contract_id} does not promise what the statement says`,
    },
  ])
})

verifies(
  'clearing.review',
  'a decision of an operator clears or blocks, and nothing else',
  async () => {
    for (const [decision, after] of [
      ['approve', 'cleared'],
      ['reject', 'blocked'],
    ] as const) {
      const late = { statement: 'a packet', due_at: '2026-01-01T00:00:00.000Z' }
      const run_id = await unpaid()
      const { clearing_id, clearing_decision, next_endpoint } = await clearOf(
        asked(run_id, { obligation: late, policy_scope: {} }),
      )
      expect([clearing_decision, next_endpoint]).toEqual([
        'human_review',
        '/api/agent-run-clearing-spine',
      ])
      await decide(hosts(), apis.operator, clearing_id, decision, { subject_kind: 'clearing' })
      expect(await read(clearing_id)).toMatchObject({
        clearing_decision: after,
        handoff_ready: after === 'cleared',
      })
      await payFor(run_id)
      expect(await read(clearing_id)).toMatchObject({
        clearing_decision: after,
        retry_available: true,
        handoff_ready: false,
        next_endpoint: '/api/agent-run-clearing-spine',
      })
      const again = decide(hosts(), apis.operator, clearing_id, decision, {
        subject_kind: 'clearing',
      })
      expect(await problemOf(again)).toMatchObject({ code: 'already_decided' })
    }
    await expect(
      sql`update clearings set ledger_head = repeat('0', 64)`.execute(apis.db),
    ).rejects.toThrow('what a clearing says never changes')
  },
)

verifies('clearing.limits', 'at most 25 clearings of an agent wait for a person', async () => {
  const { client } = await openAgentUse(hosts(), apis.operator)
  const late = { statement: 'a packet', due_at: '2026-01-01T00:00:00.000Z' }
  const input = packetops.sandboxInput as unknown as Record<string, unknown>
  const clearNew = async () => {
    const begun = await client.call('preflight', {
      rail: 'packetops',
      tier: 'standard',
      usage: 'operational',
      objective: 'a packet',
      input,
      idempotency_key: freshKey(),
    })
    const run_id = runIdOf(begun.body.task.task_id)
    return client.call('clearing-run', asked(run_id, { obligation: late, policy_scope: {} }))
  }
  const made = await Promise.allSettled(Array.from({ length: 28 }, clearNew))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(25)
  expect(await problemOf(clearNew())).toMatchObject({ status: 429, code: 'rate_limited' })
})

verifies('clearing.sample', 'the sample is computed once, signed and not stored', async () => {
  const rows = async () =>
    (await sql<{ count: number }>`select count(*)::int as count from clearings`.execute(apis.db))
      .rows[0]?.count
  const before = await rows()
  const sample = (await open().call('clearing-read', {})).body
  if (!('sample' in sample)) throw new Error('a sample was expected')
  expect(Object.keys(sample.clearing).join(', ')).toBe(members)
  expect(sample).toMatchObject({
    usage: 'synthetic',
    persisted: false,
    clearing: { proof_state: 'partial', clearing_decision: 'human_review' },
  })
  expect(sample.clearing.run_receipt).toEqual(sample.receipt)
  expect((await open().call('clearing-read', {})).body).toEqual(sample)
  expect(await rows()).toBe(before)
})
