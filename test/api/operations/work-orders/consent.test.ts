import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { scoutInput } from '#domain/rails/scout/index.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { runCli } from '../../../support/cli.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { decide } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks()
})
afterAll(() => apis?.stop())

type Consent = InputOf<'work-order-consent'>
const hosts = () => apis.hosts[0]!
/** The holder of an order without an agent, who has no key to sign with. */
const holder = (statusToken: string) =>
  createClient({
    baseUrl: hosts().base,
    osUrl: hosts().os,
    statusToken,
    signAsAgent: () => 'A'.repeat(86),
  })
const corrected = { ...scoutInput, limit: 1 }

/** A public order whose run waits for its review, and the calls of its holder. */
async function runInReview() {
  const order = {
    ...exampleOrder,
    requested_tool_id: 'service_os',
    input: undefined,
    steps: [{ rail: 'scout', input: scoutInput }],
    idempotency_key: freshKey(),
  } as InputOf<'work-order-create'>
  const open = createClient({ baseUrl: hosts().base, osUrl: hosts().os })
  const { work_order, rail_run, status_token } = (await open.call('work-order-create', order)).body
  const { work_order_id } = work_order
  await decide(hosts(), apis.operator, work_order_id, 'approve', { subject_kind: 'work_order' })
  const owner = holder(status_token)
  const ledger = async () => (await holder(rail_run.task_token).call('task-ledger', {})).body
  const reaches = (state: string) =>
    expect.poll(async () => (await ledger()).task.state).toBe(state)
  await reaches('trusted')
  const asked = { rail: 'scout', tier: 'standard', idempotency_key: freshKey() } as const
  await owner.call('agent-quote', asked)
  const { run_id } = rail_run
  const waits = async () => (await ledger()).task.waiting_for
  await reaches('operating')
  await expect.poll(waits).toEqual(['review'])
  const propose = (input: Record<string, unknown>) =>
    decide(hosts(), apis.operator, run_id, 'revise', {
      subject_kind: 'loop_step',
      note: 'one service is enough',
      revision: { input },
    })
  const accept = (more: Partial<Consent> = {}, by = owner) =>
    by.call('work-order-consent', {
      work_order_id,
      run_id,
      proposed_input_sha256: digestOf(corrected),
      note: 'agreed',
      idempotency_key: freshKey(),
      ...more,
    })
  return { work_order_id, rail_run, run_id, status_token, owner, ledger, propose, accept, waits }
}

verifies(
  'work-order.consent',
  'the owner accepts the proposed input, and the ledger names both',
  async () => {
    const { work_order_id, rail_run, run_id, owner, ledger, propose, accept, waits } =
      await runInReview()
    expect(await codeOf(accept())).toBe('wrong_state')
    const proposed = await propose(corrected)
    expect(proposed.receipt.payload).toMatchObject({ revised_input_sha256: digestOf(corrected) })
    const { proposals } = (await owner.call('work-orders-read', { work_order_id })).body
    expect(proposals).toMatchObject([
      {
        run_id,
        reason: 'one service is enough',
        input_sha256: digestOf(scoutInput),
        proposed_input_sha256: digestOf(corrected),
        proposed_input: corrected,
      },
    ])
    expect((await ledger()).task.required_action).toMatchObject({
      by: 'agent',
      call: `POST /api/work-orders/${work_order_id}/consent`,
      arguments: { run_id, proposed_input_sha256: digestOf(corrected) },
    })
    const once = { idempotency_key: freshKey() }
    const { body } = await accept(once)
    expect((await accept(once)).body).toEqual(body)
    const digests = {
      input_sha256: digestOf(corrected),
      replaced_input_sha256: digestOf(scoutInput),
    }
    expect(body).toMatchObject({
      recovery_request: {
        state: 'done',
        requested_by: `work_order:${work_order_id}`,
        input_sha256: digestOf(corrected),
      },
      receipt: {
        kind: 'recovery',
        payload: { actor: `work_order:${work_order_id}`, note: 'agreed', ...digests },
      },
    })
    await expect.poll(waits).toEqual(['review'])
    const operator = createClient({
      baseUrl: hosts().base,
      osUrl: hosts().os,
      operator: apis.operator,
      statusToken: rail_run.task_id,
    })
    const { replay_package } = (await operator.call('task-replay-package', {})).body
    expect(replay_package.ledger.find(({ event }) => event === 'replayed')).toMatchObject({
      actor: `work_order:${work_order_id}`,
      data: digests,
    })
    expect(replay_package.inputs).toEqual([digestOf(scoutInput), digestOf(corrected)])
    expect((await owner.call('work-orders-read', { work_order_id })).body.proposals).toEqual([])
  },
)

verifies(
  'work-order.consent',
  'no one else accepts it, and no other input is accepted',
  async () => {
    const mine = await runInReview()
    await mine.propose(corrected)
    const open = createClient({ baseUrl: hosts().base, osUrl: hosts().os })
    const order = { ...exampleOrder, idempotency_key: freshKey() } as InputOf<'work-order-create'>
    const other = (await open.call('work-order-create', order)).body
    expect(await codeOf(mine.accept({}, holder(other.status_token)))).toBe('not_owner')
    expect(await codeOf(mine.accept({}, holder(`wt_${'A'.repeat(43)}`)))).toBe('not_found')
    expect(await codeOf(mine.accept({}, holder(mine.rail_run.task_token)))).toBe('not_found')
    const foreign = { proposed_input_sha256: digestOf(scoutInput) }
    expect(await problemOf(mine.accept(foreign))).toMatchObject({ code: 'evidence_changed' })
    const unknown = { run_id: `run_${'0'.repeat(64)}` }
    expect(await codeOf(mine.accept(unknown))).toBe('wrong_state')
    const by = createClient({
      baseUrl: hosts().base,
      osUrl: hosts().os,
      operator: apis.operator,
      statusToken: mine.rail_run.task_id,
    })
    const { items } = (await by.call('task-exceptions', {})).body
    const other_input = { ...scoutInput, limit: 2 }
    const forced = await by.call('task-recover', {
      exception_id: items[0]?.exception_id,
      action: 'correct_input',
      input: other_input,
      note: 'two services are enough',
      idempotency_key: freshKey(),
    })
    expect(forced.body).toMatchObject({
      task: { state: 'exception_open' },
      exception: { proposed_input_sha256: digestOf(other_input) },
    })
    expect(await codeOf(mine.accept())).toBe('evidence_changed')
    const { code, text } = await runCli(
      { ...apis.env, BASE_URL: hosts().base, TEMPORAL_ADDRESS: apis.config.TEMPORAL_ADDRESS },
      'recover',
      'explain',
      mine.rail_run.task_id,
    )
    expect(text).toContain(`POST /api/work-orders/${mine.work_order_id}/consent`)
    expect(code).toBe(0)
  },
)

verifies(
  'review.declined',
  'the owner of an order declines, and an operator proposes again',
  async () => {
    const { work_order_id, run_id, owner, ledger, propose, accept, rail_run } = await runInReview()
    await propose(corrected)
    const reason = 'three services are needed'
    const decline = (by = owner) =>
      by.call('work-order-decline', {
        work_order_id,
        run_id,
        proposed_input_sha256: digestOf(corrected),
        reason,
        idempotency_key: freshKey(),
      })
    expect(await codeOf(decline(holder(rail_run.task_token)))).toBe('not_found')
    const declined_input = { reason, by: `work_order:${work_order_id}` }
    expect((await decline()).body).toMatchObject({
      task: { state: 'exception_open' },
      exception: { proposed_input_sha256: null, declined_input },
      receipt: { payload: { action: 'decline_input', reason } },
    })
    expect(await codeOf(accept())).toBe('wrong_state')
    expect((await ledger()).entries.at(-1)).toMatchObject({ event: 'input_declined' })
    const operator = createClient({
      baseUrl: hosts().base,
      osUrl: hosts().os,
      operator: apis.operator,
      statusToken: rail_run.task_id,
    })
    const { items } = (await operator.call('task-exceptions', {})).body
    expect(items).toMatchObject([{ state: 'open', declined_input }])
    await operator.call('task-recover', {
      exception_id: items[0]?.exception_id,
      action: 'correct_input',
      input: corrected,
      note: 'then one after all',
      idempotency_key: freshKey(),
    })
    const { proposals } = (await owner.call('work-orders-read', { work_order_id })).body
    expect(proposals).toMatchObject([{ run_id, reason: 'then one after all' }])
    expect((await accept()).body.recovery_request).toMatchObject({ state: 'done' })
  },
)
