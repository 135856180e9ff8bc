import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packetopsInput } from '#domain/rails/packetops/index.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { listOpenOrders } from '../../../../activities/store/work-orders/exchange.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { freshKey, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { openExchange, packageOf, packetWork } from '../../../support/exchange.ts'
import { patiently } from '../../../support/problems.ts'
import { fundedWallet } from '../../../support/wallets.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let market: Awaited<ReturnType<typeof openExchange>>
let one: Awaited<ReturnType<typeof market.agent>>
let other: typeof one
beforeAll(async () => {
  apis = await startComposedTasks({
    LIMIT_AGENT_PER_MINUTE: '6000',
  })
  market = await openExchange(apis.hosts[0]!, apis.operator)
  one = await market.agent()
  other = await market.agent()
})
afterAll(() => apis?.stop())

const anyone = () => createClient({ baseUrl: apis.hosts[0]!.base })
const listed = async () => (await anyone().call('exchange-read', {})).body.items
const isListed = async (id: string) =>
  (await listed()).some(({ work_order_id }) => work_order_id === id)
const orderState = async (work_order_id: string) =>
  (await market.requester.client.call('work-orders-read', { work_order_id })).body.work_order?.state
const named = ({ body: { claim } }: Awaited<ReturnType<typeof one.claim>>) => ({
  work_order_id: claim.work_order_id,
  claim_id: claim.claim_id,
})
const stateOf = (run_id: string) => market.requester.status(run_id, 5_000)

verifies('exchange.open', 'a paid and approved order waits, and shows no contact', async () => {
  const { work_order_id, run_id } = await market.order()
  expect((await listed()).find((item) => item.work_order_id === work_order_id)).toMatchObject({
    rail: 'packetops',
    tier: 'standard',
    reward_note: 'paid on acceptance',
  })
  const { body } = await anyone().call('exchange-read', { rail: 'tokenops' })
  expect(body).toMatchObject({ items: [], total: 0, claims: [] })
  expect(JSON.stringify(await listed())).not.toContain('requester')
  expect(await stateOf(run_id)).toMatchObject({ state: 'credit_funded' })
  expect(await orderState(work_order_id)).toBe('approved')
})

verifies('exchange.claim', 'one of 100 claims at once gets the order', async () => {
  const { work_order_id } = await market.order()
  const agents = [one, other, ...(await Promise.all([0, 1, 2].map(() => market.agent())))]
  const claims = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => {
      const key = freshKey()
      return patiently(() => agents[at % agents.length]!.claim(work_order_id, key))
    }),
  )
  const won = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []))
  const lost = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason.code] : []))
  expect(new Set(won.map(({ body }) => body.claim.claim_id)).size).toBe(1)
  expect(new Set(won.map(({ body }) => body.claim.agent_id)).size).toBe(1)
  expect(new Set(lost)).toEqual(new Set(['already_claimed']))
  expect([won.length + lost.length, lost.length >= 80]).toEqual([100, true])
  expect(await isListed(work_order_id)).toBe(false)
  expect(await orderState(work_order_id)).toBe('claimed')
  const { rows } = await sql<{ state: string }>`select state from exchange_claims
    where work_order_id = ${work_order_id}`.execute(apis.db)
  expect(rows).toEqual([{ state: 'held' }])
  expect(won[0]?.body.claim.terms_sha256).toMatch(/^[0-9a-f]{64}$/)
})

verifies('exchange.refused', 'no claim without scope and trust, or by its requester', async () => {
  const { work_order_id } = await market.order()
  expect(
    await problemOf(
      market.requester.client.call('exchange-claim', {
        mode: 'claim_work_order',
        work_order_id,
        accept_terms: true,
        idempotency_key: freshKey(),
      }),
    ),
  ).toMatchObject({ code: 'control_denied' })
  const unagreed = { mode: 'claim_work_order', work_order_id, idempotency_key: freshKey() }
  expect(await problemOf(one.client.call('exchange-claim', unagreed as never))).toMatchObject({
    status: 400,
    errors: [{ pointer: '/accept_terms' }],
  })
  const unscoped = await market.agent([])
  expect(await problemOf(unscoped.claim(work_order_id))).toMatchObject({ code: 'scope_denied' })
  const ended = await market.agent()
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  await operator.call('access-key-revoke', {
    credential_id: ended.credentialId,
    reason: 'lost',
    idempotency_key: freshKey(),
  })
  expect(await problemOf(ended.claim(work_order_id))).toMatchObject({ status: 401 })
  expect(await problemOf(one.claim(`wo_${'0'.repeat(64)}`))).toMatchObject({ code: 'not_found' })
  const account = sql`(select account_id from agents a join work_orders w using (agent_id)
    where w.work_order_id = ${work_order_id})`
  await expect(
    sql`insert into exchange_claims (claim_id, work_order_id, agent_id, entitlement_id, input_sha256, expires_at)
      select ${`xc_${'0'.repeat(64)}`}, ${work_order_id}, agent_id, (select entitlement_id from entitlements limit 1), 'x',
      clock_timestamp() + interval '1 minute' from agents where account_id = ${account}`.execute(
      apis.db,
    ),
  ).rejects.toThrow('a trusted agent of another account')
  expect(await isListed(work_order_id)).toBe(true)
})

const feeOf = async (claim_id: string) => {
  const { rows } = await sql<{ state: string; amount_usd: number }>`select state, amount_usd
    from fee_events where item = 'escrow_fee' and subject = ${claim_id}`.execute(apis.db)
  return rows
}

verifies(
  ['exchange.release', 'fees.held'],
  'a fee is held for a claim, until it ends',
  async () => {
    const { work_order_id } = await market.order()
    const claim = named(await one.claim(work_order_id))
    // The requester's wallet is empty, so that the fee is due and stops no one.
    expect(await feeOf(claim.claim_id)).toEqual([{ state: 'due', amount_usd: 2 }])
    await one.release(claim)
    expect(await feeOf(claim.claim_id)).toEqual([{ state: 'released', amount_usd: 2 }])
    const second = named(await other.claim(work_order_id))
    await other.deliver(second, packetWork())
    expect(await feeOf(second.claim_id)).toEqual([{ state: 'due', amount_usd: 2 }])
  },
)

verifies('exchange.release', 'a released order is open to others, once for each', async () => {
  const { work_order_id } = await market.order()
  const claim = named(await one.claim(work_order_id))
  expect((await one.claimed(claim.claim_id)).input).toEqual(packetopsInput)
  expect(await problemOf(other.claimed(claim.claim_id))).toMatchObject({ code: 'not_found' })
  const foreign = [other.release(claim), other.deliver(claim, packetWork())].map(problemOf)
  for (const refused of await Promise.all(foreign))
    expect(refused).toMatchObject({ status: 404, code: 'not_found' })
  const released = await one.release(claim)
  expect(released.body).toMatchObject({
    work_order: { state: 'approved' },
    claim: { state: 'released', reason: 'too much' },
  })
  expect((await one.release(claim)).body).toEqual(released.body)
  expect((await one.claimed(claim.claim_id)).input).toBe(null)
  expect(await problemOf(one.claim(work_order_id))).toMatchObject({ code: 'wrong_state' })
  expect(await problemOf(one.deliver(claim, packetWork()))).toMatchObject({ code: 'wrong_state' })
  expect((await other.claim(work_order_id)).body.claim.state).toBe('held')
})

verifies('exchange.delivery', 'what the validator takes is the result once approved', async () => {
  const { work_order_id, run_id } = await market.order()
  const claim = named(await one.claim(work_order_id))
  const work = packetWork()
  const changed = {
    ...work,
    findings: [...work.findings, { ...work.findings[0], code: 'invented' }],
  }
  const refused = await problemOf(one.deliver(claim, changed))
  expect(refused).toMatchObject({ status: 422, code: 'evidence_mismatch' })
  const checks = refused['checks'] as { check: string; ok: boolean }[]
  expect(checks.filter(({ ok }) => !ok).map(({ check }) => check)).toContain('result_repeated')
  const wrong = { ...packageOf(work) }
  wrong.artifacts[0]!.sha256 = '0'.repeat(64)
  const agreed = { accept_terms: true, idempotency_key: freshKey() } as const
  const call = { mode: 'deliver_work_order', ...claim, ...agreed } as const
  expect(
    await problemOf(one.client.call('exchange-deliver', { ...call, return_package: wrong })),
  ).toMatchObject({ code: 'evidence_mismatch', errors: [{ pointer: expect.any(String) }] })
  const [made] = packageOf(work).artifacts
  const reserved = { artifacts: [made!, { ...made!, name: 'service:x' }], claims: [] }
  expect(
    await problemOf(one.client.call('exchange-deliver', { ...call, return_package: reserved })),
  ).toMatchObject({ code: 'invalid_request' })
  expect(await problemOf(one.deliver(claim, { result: 'x' }))).toMatchObject({ status: 422 })

  const key = freshKey()
  const { body } = await one.deliver(claim, work, key)
  expect(body).toMatchObject({
    work_order: { state: 'delivered' },
    claim: { state: 'delivered' },
    review: { subject_kind: 'loop_step', subject_id: run_id, state: 'waiting' },
    receipt: { kind: 'exchange_delivery', subject: claim.claim_id },
  })
  expect(body.validation.checks.every(({ ok }) => ok)).toBe(true)
  expect((await one.deliver(claim, work, key)).body.receipt).toEqual(body.receipt)
  const waits = async () => (await stateOf(run_id)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  const { evidence } = (await operator.call('loop-review-console', { subject_id: run_id })).body
  const part = evidence?.parts.find(({ name }) => name === 'delivery')
  expect(part?.content).toMatchObject({ claim_id: claim.claim_id, receipt_id: expect.any(String) })
  await market.review('loop_step', run_id, 'approve')
  await expect.poll(async () => (await stateOf(run_id)).state).toBe('closed')
  expect(await one.claimed(claim.claim_id)).toMatchObject({ state: 'accepted' })
  expect(await orderState(work_order_id)).toBe('completed')
  const run = await stateOf(run_id)
  expect(run.return_package_id).toMatch(/^rp_/)
  const { rows } = await sql<{ event: string }>`select event from task_events e
    join work_order_tasks o using (task_id) where o.work_order_id = ${work_order_id}
    and event in ('started', 'result_produced', 'result_attested') order by sequence`.execute(
    apis.db,
  )
  expect(rows.map(({ event }) => event)).toEqual(['started', 'result_produced', 'result_attested'])
})

verifies('exchange.rejected', 'a rejected delivery ends, and the service may do it', async () => {
  const { work_order_id, run_id } = await market.order()
  const claim = named(await one.claim(work_order_id))
  await one.deliver(claim, packetWork())
  const waits = async () => (await stateOf(run_id)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  await market.review('loop_step', run_id, 'reject')
  const claimed = async () => (await one.claimed(claim.claim_id)).state
  await expect.poll(claimed).toBe('rejected')
  expect(await stateOf(run_id)).toMatchObject({ state: 'exception_open' })
})

verifies('exchange.rejected', 'a delivery of another input is not shown or accepted', async () => {
  const { work_order_id, run_id } = await market.order()
  const claim = named(await one.claim(work_order_id))
  await one.deliver(claim, packetWork())
  const waits = async () => (await stateOf(run_id)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  // As after evidence that was supplied between the delivery and the run.
  await transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`update exchange_claims set input_sha256 = ${'0'.repeat(64)}
      where claim_id = ${claim.claim_id}`.execute(tx)
  })
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  const { evidence } = (await operator.call('loop-review-console', { subject_id: run_id })).body
  expect(evidence?.parts.map(({ name }) => name)).not.toContain('delivery')
  await market.review('loop_step', run_id, 'approve')
  await expect.poll(async () => (await stateOf(run_id)).state).toBe('closed')
  expect(await one.claimed(claim.claim_id)).toMatchObject({
    state: 'rejected',
    reason: 'the input was changed',
  })
})

verifies(
  'exchange.open',
  'a review shows that approval puts an order on the exchange',
  async () => {
    const deadline = new Date(Date.now() + 3_600_000).toISOString()
    const exchange = { deadline, reward_note: 'write to me' }
    const order = { ...exampleOrder, exchange, idempotency_key: freshKey() }
    const { body } = await anyone().call('work-order-create', order as InputOf<'work-order-create'>)
    const { work_order_id: subject_id } = body.work_order
    const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
    const { items, evidence } = (await operator.call('loop-review-console', { subject_id })).body
    const summary = expect.stringContaining('on the public exchange')
    expect(items).toMatchObject([{ summary }])
    const request = evidence?.parts.find(({ name }) => name === 'request')
    expect(request?.content).toMatchObject({ exchange })
  },
)

verifies('exchange.bounds', 'the public list counts and pages up to a bound', async () => {
  const far = anyone().call('exchange-read', { offset: '1000' })
  expect(await problemOf(far)).toMatchObject({ code: 'invalid_request' })
  const { work_order_id } = await market.order()
  const copies = (table: string, members: string) =>
    sql.raw(`insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(r) || jsonb_build_object(${members}))).*
      from (select c.* from ${table} c join work_order_tasks o using (${table === 'tasks' ? 'task_id' : 'work_order_id'})
        where o.work_order_id = '${work_order_id}') r, lateral (select lpad(n::text, 64, '0') id from generate_series(1, 1001) n) i`)
  const undone = new Error('the copies are not kept')
  const counting = transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    const order = `'work_order_id', 'wo_' || id`
    await copies('work_orders', `${order}, 'status_token_sha256', id`).execute(tx)
    await copies('tasks', `'task_id', 'task-' || id`).execute(tx)
    await copies('work_order_tasks', `${order}, 'task_id', 'task-' || id`).execute(tx)
    const { rows, total } = await listOpenOrders(tx, undefined, { offset: 900, limit: 25 })
    expect([rows.length, total]).toEqual([25, 1_000])
    throw undone
  })
  await expect(counting).rejects.toBe(undone)
})

verifies('fees.collected', 'a payment holds the due fee of a claim until delivery', async () => {
  const { work_order_id } = await market.order()
  const claim = named(await one.claim(work_order_id))
  expect(await feeOf(claim.claim_id)).toEqual([{ state: 'due', amount_usd: 2 }])
  const { client, approve } = market.requester
  await fundedWallet(client, 50, (id) => approve('payment_reference', id))
  expect(await feeOf(claim.claim_id)).toEqual([{ state: 'held', amount_usd: 2 }])
  await one.deliver(claim, packetWork())
  expect(await feeOf(claim.claim_id)).toEqual([{ state: 'accrued', amount_usd: 2 }])
})
