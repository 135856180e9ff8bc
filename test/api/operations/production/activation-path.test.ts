import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { pathOf, pathSteps } from '#domain/production/activation-path.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { type OpenProduction, openProduction } from '../../../support/production.ts'
import { decide, newAgentClient } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: OpenProduction
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openProduction(apis)
})
afterAll(() => apis?.stop())

const asked = (other: Partial<InputOf<'activation-start'>> = {}) => ({
  customer_account: 'northwind-emea',
  rail: 'packetops' as const,
  tier: 'standard' as const,
  idempotency_key: freshKey(),
  ...other,
})
const open = () => createClient({ baseUrl: apis.hosts[0]!.base })
const readOf = async (activation_id?: string, { client } = agent) =>
  (await client.call('activation-path-read', { activation_id })).body

verifies('production.path', 'a step is done by its record, and open without it', () => {
  const none = Object.fromEntries(pathSteps.map((step) => [step, null])) as Parameters<
    typeof pathOf
  >[0]
  expect(pathOf(none).next_action).toBe('Register the agent.')
  const all = Object.fromEntries(pathSteps.map((step) => [step, `of ${step}`])) as typeof none
  expect(pathOf(all)).toMatchObject({ next_action: 'The account is active.' })
  for (const step of pathSteps) {
    const { steps, next_action } = pathOf({ ...all, [step]: null })
    expect(steps.filter(({ state }) => state === 'open').map((open) => open.step)).toEqual([step])
    expect(next_action).not.toBe('The account is active.')
  }
})

verifies('production.path', 'each step follows its record, and opens when it is gone', async () => {
  const before = await readOf()
  const { client } = agent
  const first = asked()
  const { activation } = (await client.call('activation-start', first)).body
  expect((await client.call('activation-start', first)).body).toEqual({ activation })
  const free = client.call('activation-start', asked({ rail: 'scout' }))
  expect(await problemOf(free)).toMatchObject({ status: 403, code: 'rail_not_allowed' })
  expect(await problemOf(client.call('activation-start', asked()))).toMatchObject({
    status: 409,
    code: 'already_exists',
    activation_id: activation.activation_id,
  })
  const doneOf = async () =>
    ((await readOf(activation.activation_id)).activation?.steps ?? [])
      .filter(({ state }) => state === 'done')
      .map(({ step }) => step)
  expect(await doneOf()).toEqual(['registered', 'trusted'])
  expect((await open().call('activation-path-read', {})).body).toMatchObject({
    activation: null,
    steps: pathSteps,
    live: { activations: (before.live['activations'] ?? 0) + 1 },
  })

  const start = await agent.input({ customer_account: first.customer_account })
  expect(await doneOf()).toEqual(['registered', 'trusted', 'quoted'])
  const payment_reference_id = await agent.paid(start.quote_id)
  const { run } = (
    await client.call('production-run-start', {
      ...start,
      payment_reference_id,
    } as InputOf<'production-run-start'>)
  ).body
  expect(await doneOf()).toEqual(['registered', 'trusted', 'quoted', 'paid'])
  await agent.order(run.work_order_id ?? '', 'approve')
  await expect.poll(doneOf).toEqual(pathSteps.slice(0, 5))
  await expect
    .poll(async () => (await agent.status(run.run_id, 5_000)).waiting_for)
    .toEqual(['review'])
  await agent.approve('loop_step', run.run_id)
  await expect.poll(doneOf).toEqual(pathSteps)
  const { activation: reached } = await readOf(activation.activation_id)
  const closed = await agent.status(run.run_id)
  expect(reached?.steps.slice(3)).toMatchObject([
    { evidence_id: closed.settlement_receipt_id },
    { evidence_id: run.work_order_id },
    { evidence_id: closed.return_package_id },
    { evidence_id: closed.usage_receipt_id },
  ])
  expect(reached?.next_action).toBe('The account is active.')

  // Another account, rail or agent has none of it.
  const other = (await client.call('activation-start', asked({ customer_account: 'fabrikam' })))
    .body.activation
  expect(other.steps.filter(({ state }) => state === 'done')).toHaveLength(3)
  const stranger = await openAgentUse(apis.hosts[0]!, apis.operator)
  expect(
    await problemOf(stranger.client.call('activation-path-read', { ...activationId(other) })),
  ).toMatchObject({ status: 404 })
  expect(await problemOf(open().call('activation-path-read', activationId(other)))).toMatchObject({
    status: 401,
  })
  await decide(apis.hosts[0]!, apis.operator, agent.agentId, 'hold')
  const { body } = await holderOf(agent).call('activation-path-read', activationId(activation))
  expect(body.activation?.steps[1]).toEqual({ step: 'trusted', state: 'open', evidence_id: null })
  expect(body.activation?.next_action).toContain('trust decision')

  await expect(sql`update activations set customer_account = 'x'`.execute(apis.db)).rejects.toThrow(
    'stays as it was started',
  )
})
const holderOf = ({ registered }: Pick<OpenProduction, 'registered'>) =>
  createClient({ baseUrl: apis.hosts[0]!.base, statusToken: registered.status_token })
const activationId = ({ activation_id }: { activation_id: string }) => ({ activation_id })

verifies(
  'production.path-limits',
  'an agent begins twenty accounts a day, by its token too',
  async () => {
    const { signText, register } = newAgentClient(apis.hosts[0]!)
    const { status_token } = await register({ rails: ['packetops'] })
    const { base, os } = apis.hosts[0]!
    const holder = createClient({
      baseUrl: base,
      osUrl: os,
      statusToken: status_token,
      signAsAgent: signText,
    })
    const unsigned = createClient({ baseUrl: base, osUrl: os, statusToken: status_token })
    const start = (client = holder) =>
      client
        .call('activation-start', asked({ customer_account: freshKey() }))
        .then(({ status }) => status)
    await expect(start(unsigned)).rejects.toThrow('signAsAgent')
    const begun = await Promise.allSettled(Array.from({ length: 24 }, () => start()))
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(await problemOf(start())).toMatchObject({ status: 429, code: 'rate_limited' })
  },
)
