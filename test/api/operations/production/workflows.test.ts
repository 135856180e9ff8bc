import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { canonicalJson, digestOf } from '#domain/core/canonical-json.ts'
import { callId } from '#domain/core/ids.ts'
import { firingTerms } from '#domain/production/accepted-terms.ts'
import { draftingModel } from '#domain/tasks/drafted.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import {
  beginFiring,
  findWorkflow,
} from '../../../../activities/store/production/customer-workflows.ts'
import { createClient } from '../../../../api/http/client.ts'
import { createTemporalClient } from '../../../../temporal/connection.ts'
import { workflowScheduleId } from '../../../../temporal/workflow-schedules.ts'
import { freshKey, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { isLate, wakeOlderThan } from '../../../support/late.ts'
import { pause } from '../../../support/processes.ts'
import { openWorkflows } from '../../../support/workflows.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openWorkflows>>
let temporal: ReturnType<typeof createTemporalClient>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openWorkflows(apis)
  temporal = createTemporalClient(apis.config)
})
afterAll(async () => {
  await temporal?.close()
  await apis?.stop()
})

const sweep = () => wakeOlderThan(temporal.client, apis.db)
const schedule = (id: string) =>
  temporal.client.schedule.getHandle(workflowScheduleId(id)).describe()
const ended = async (id: string, count: number) => {
  const states = async () =>
    (await agent.read(id)).firings.filter(({ state }) => state !== 'due').length
  await expect.poll(states).toBe(count)
  return (await agent.read(id)).firings
}
const SLOW = { timeout: 20_000, interval: 200 }
const moved = (move: 'pause' | 'resume' | 'delete', workflow_id: string) =>
  agent.client
    .call(`customer-workflow-${move}`, {
      mode: `${move}_workflow`,
      ...(move === 'resume' && { accept_terms: true }),
      workflow_id,
      idempotency_key: freshKey(),
    } as never)
    .then(({ body }) => body)

verifies('workflow.schedule', 'a schedule follows its workflow from review to end', async () => {
  const id = await agent.create()
  await sweep()
  await expect(schedule(id)).rejects.toThrow()
  expect(await problemOf(agent.run(id))).toMatchObject({ code: 'wrong_state' })
  await agent.review(id, 'approve')
  // Two sweeps at once, or one while Temporal is slow, may leave it to the next.
  const swept = async (read: () => Promise<unknown>) => {
    await Promise.all([sweep(), sweep()])
    return read().catch((error: Error) => error.name)
  }
  const isPaused = () => swept(async () => (await schedule(id)).state.paused)
  await expect.poll(isPaused, SLOW).toBe(false)
  expect((await schedule(id)).spec.calendars).toHaveLength(1)
  await moved('pause', id)
  await expect.poll(isPaused, SLOW).toBe(true)
  await moved('resume', id)
  await expect.poll(isPaused, SLOW).toBe(false)
  await moved('delete', id)
  await expect.poll(isPaused, SLOW).toBe('ScheduleNotFoundError')
  expect(await problemOf(moved('resume', id))).toMatchObject({ code: 'wrong_state' })
  const rejected = await agent.create()
  await agent.review(rejected, 'reject')
  expect(await agent.read(rejected)).toMatchObject({ state: 'rejected', firings: [] })
})

verifies('workflow.firing', 'a firing starts one reviewed run that the wallet pays', async () => {
  const id = await agent.active()
  await sweep()
  const handle = temporal.client.schedule.getHandle(workflowScheduleId(id))
  await handle.trigger()
  const [broke] = await ended(id, 1)
  expect(broke).toMatchObject({ state: 'refused', code: 'payment_required', run_id: null })

  await agent.fund(5_000)
  const key = freshKey()
  const one = (await agent.run(id, key)).body
  expect((await agent.run(id, key)).body.firing_id).toBe(one.firing_id)
  const firings = await ended(id, 2)
  const started = firings.find(({ firing_id }) => firing_id === one.firing_id)
  expect(started).toMatchObject({ state: 'started', code: null })
  const order = (
    await agent.client.call('work-orders-read', { work_order_id: String(started?.work_order_id) })
  ).body.work_order
  expect(order).toMatchObject({ state: 'queued', run_id: started?.run_id })
  expect(await agent.status(String(started?.run_id))).toMatchObject({
    state: 'credit_funded',
    waiting_for: ['review'],
  })

  // Sooner than the cadence allows, and while it is paused, a firing starts nothing and is seen.
  await pause(1_100)
  await handle.trigger()
  const early = (await ended(id, 3)).filter(({ code }) => code === 'rate_limited')
  expect(early).toMatchObject([{ state: 'refused', run_id: null }])
  await moved('pause', id)
  await pause(1_100)
  await handle.trigger()
  const paused = (await ended(id, 4)).filter(({ code }) => code === 'wrong_state')
  expect(paused).toMatchObject([{ detail: 'the workflow is paused' }])
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from production_writes
    where operation_id = 'wallet-run-start' and agent_id = ${agent.registered.agent.agent_id}`.execute(
    apis.db,
  )
  expect(rows).toEqual([{ n: 1 }])
})

verifies('workflow.terms', 'a firing cites accepted terms, and by others starts none', async () => {
  const own = await openWorkflows(apis)
  await own.fund(5_000)
  const { accept_terms: _terms, ...unaccepted } = own.input()
  expect(
    await problemOf(own.client.call('customer-workflow-create', unaccepted as never)),
  ).toMatchObject({
    status: 400,
    errors: [{ pointer: '/accept_terms' }],
  })
  const id = await own.active({ cadence: 'on_demand' })
  const { accepted_terms, terms_sha256 } = await own.read(id)
  expect(accepted_terms).toEqual(firingTerms(null).terms)
  expect(digestOf(accepted_terms)).toBe(terms_sha256)
  const drafted = [null, 'a model'].map(
    (model) => firingTerms(draftingModel('diligenceops', model)).terms_sha256,
  )
  expect(new Set(drafted).size).toBe(2)
  const other = { ...firingTerms(null).terms, data_policy: 'another one' }
  const rows = (terms: object) =>
    sql`update customer_workflows set accepted_terms = ${canonicalJson(terms)},
    terms_sha256 = ${digestOf(terms)} where workflow_id = ${id}`.execute(apis.db)
  await rows(other)
  await own.run(id)
  await expect
    .poll(async () => (await own.read(id)).firings)
    .toMatchObject([
      { state: 'refused', code: 'terms_mismatch', run_id: null, terms_sha256: digestOf(other) },
    ])
  const move = { workflow_id: id, idempotency_key: freshKey() }
  await own.client.call('customer-workflow-pause', { mode: 'pause_workflow', ...move })
  const resume = { mode: 'resume_workflow', ...move, idempotency_key: freshKey() } as const
  const unagreed = own.client.call('customer-workflow-resume', resume as never)
  expect(await problemOf(unagreed)).toMatchObject({ status: 400 })
  const agreed = { ...resume, accept_terms: true, idempotency_key: freshKey() } as const
  const { body } = await own.client.call('customer-workflow-resume', agreed)
  expect(body).toMatchObject({
    workflow: { terms_sha256 },
    receipt: { payload: { terms_sha256 } },
  })
  await own.run(id)
  const states = async () => (await own.read(id)).firings.map(({ state }) => state)
  await expect.poll(states).toContain('started')
  const started = (await own.read(id)).firings.find(({ state }) => state === 'started')
  expect(started?.terms_sha256).toBe(terms_sha256)
})

verifies('workflow.key', 'a firing with a revoked key starts nothing and is recorded', async () => {
  const other = await openWorkflows(apis)
  await other.fund(5_000)
  const id = await other.active({ cadence: 'on_demand' })
  const operator = createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
  await operator.call('access-key-revoke', {
    credential_id: other.credentialId,
    reason: 'lost',
    idempotency_key: freshKey(),
  })
  await temporal.client.workflow.execute('workflowFiring', {
    workflowId: `firing-${id}-later`,
    taskQueue: 'tasks',
    args: [id],
  })
  const { items } = (await operator.call('customer-workflow-read', { workflow_id: id })).body
  const refused = items[0]?.firings.filter(({ state }) => state === 'refused')
  expect(refused).toMatchObject([{ code: 'credential_invalid', run_id: null }])
})

/** A firing that was stored by a worker that died, whose workflow was terminated. */
async function lostFiring(workflow_id: string): Promise<string> {
  const firing = `firing-${workflow_id}-lost`
  const handle = await temporal.client.workflow.start('workflowFiring', {
    workflowId: firing,
    taskQueue: 'without-a-worker',
    args: [workflow_id],
  })
  const firing_id = `fi_${digestOf({ firing })}`
  const workflow = await findWorkflow(apis.db, workflow_id)
  if (workflow === undefined) throw new Error('a workflow was expected')
  const call_id = callId(`agent:${workflow.agent_id}`, 'wallet-run-start', firing_id)
  const row = { firing_id, workflow_id, call_id, terms_sha256: workflow.terms_sha256 }
  await transaction(apis.db, (tx) => beginFiring(tx, { ...row, due_at: new Date() }, 1))
  await handle.terminate('lost')
  return firing_id
}

verifies('recovery.firings', 'a firing whose workflow is gone is carried out once', async () => {
  for (const paused of [false, true]) {
    const other = await openWorkflows(apis)
    await other.fund(500)
    const id = await other.active({ cadence: 'on_demand', tier: 'entry' })
    const firing_id = await lostFiring(id)
    const asked = { mode: 'pause_workflow', workflow_id: id, idempotency_key: freshKey() } as const
    if (paused) await other.client.call('customer-workflow-pause', asked)
    expect(await isLate(apis.db, firing_id, 3_600_000)).toBe(false)
    expect(await isLate(apis.db, firing_id, 0)).toBe(true)
    const carryOut = (workflowId: string) =>
      temporal.client.workflow.execute('workflowFiring', {
        workflowId: firing_id,
        taskQueue: 'tasks',
        args: [workflowId],
      })
    // The firing of one workflow is none of another.
    expect(await carryOut(await agent.active({ cadence: 'on_demand' }))).toBeNull()
    await Promise.all([sweep(), sweep()])
    const firings = async () =>
      (await other.read(id)).firings.map(({ state, code }) => ({ state, code }))
    const outcome = paused
      ? { state: 'refused', code: 'wrong_state' }
      : { state: 'started', code: null }
    await expect.poll(firings).toEqual([outcome])
    // The row ends before the workflow that ended it.
    await temporal.client.workflow.getHandle(firing_id).result()
    expect(await carryOut(id)).toMatchObject({ firingId: firing_id })
    expect(await firings()).toEqual([outcome])
    expect(await isLate(apis.db, firing_id, 0)).toBe(false)
    const { wallet } = (
      await other.client.call('allowance-wallet-read', { wallet_id: other.wallet_id })
    ).body
    expect(wallet?.balance_units).toBe(paused ? 500 : 451)
  }
})

verifies('workflow.bounds', 'bounds, owners and inputs of workflows are kept', async () => {
  const other = await openWorkflows(apis)
  const by = (input: Parameters<typeof other.create>[0]) => problemOf(other.create(input))
  expect(await by({ wallet_id: agent.wallet_id })).toMatchObject({ code: 'not_owner' })
  expect(await by({ callback_url: 'https://10.0.0.1/in' })).toMatchObject({
    code: 'callback_refused',
  })
  expect(await by({ rail: 'energyops' })).toMatchObject({ status: 403 })
  expect(await by({ input: { title: 'nothing else' } })).toMatchObject({ code: 'input_rejected' })
  const scoped = await openWorkflows(apis, {
    requested_scopes: ['runs:read', 'wallets:write'],
  })
  expect(await problemOf(scoped.create())).toMatchObject({ code: 'scope_denied' })
  const id = await agent.active()
  for (const call of [() => other.run(id), () => other.read(id)])
    expect(await problemOf(call())).toMatchObject({ code: 'not_found' })
  await expect(
    sql`update customer_workflows set input_sha256 = ${'0'.repeat(64)} where workflow_id = ${id}`.execute(
      apis.db,
    ),
  ).rejects.toThrow('stays as it was reviewed')
  const made = await Promise.allSettled(Array.from({ length: 25 }, () => other.create()))
  expect(made.filter(({ status }) => status === 'fulfilled').length).toBe(20)
})
