import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { pathSteps } from '#domain/production/activation-path.ts'
import { railOf } from '#domain/rails/index.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { requestedPilot } from '../../../support/pilots.ts'
import { decide } from '../../../support/registering-agent.ts'
import { openWorkflows } from '../../../support/workflows.ts'
import { verifies } from '../../../verifies.ts'

type Rail = 'packetops' | 'energyops'
type Started = { run_id: string; task_id: string; work_order_id: string | null }
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openWorkflows>>
let agentId: string
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openWorkflows(apis, { rails: ['packetops', 'energyops'] })
  agentId = agent.registered.agent.agent_id
  await agent.fund(5_000)
})
afterAll(() => apis?.stop())

const console = () => createClient({ baseUrl: apis.hosts[0]!.base, operator: apis.operator })
const review = (kind: 'work_order' | 'pilot' | 'task' | 'loop_step', id: string) =>
  decide(apis.hosts[0]!, apis.operator, id, 'approve', { subject_kind: kind })
let units = 0
/** What every kind of start takes: a sample and a quote of its own. */
async function start(rail: Rail = 'packetops') {
  const asked = { rail, tier: 'standard', units: ++units, idempotency_key: freshKey() } as const
  const { quote_id } = (await agent.client.call('agent-quote', asked)).body.quote
  return {
    tier: 'standard',
    quote_id,
    input: railOf(rail).sandboxInput as InputOf<'start-agent-run'>['input'],
    callback_url: `${apis.config.BASE_URL}${demoReceiverPath}?receiver=kind-${freshKey()}`,
    on_gaps: 'report',
    accept_terms: true,
    idempotency_key: freshKey(),
  } as const
}
async function paid(quote_id: string): Promise<string> {
  const { payment_reference_id } = await agent.pay(quote_id)
  await agent.approve('payment_reference', payment_reference_id)
  return payment_reference_id
}

/** Every way to start a run for a customer account, with who pays it. */
const kinds: Record<string, (customer_account: string) => Promise<Started>> = {
  // A client that names no account has that of its name.
  pilot: async (name) => {
    const client = { name, contact: 'ops@northwind.example' }
    const { pilot, status_token } = await requestedPilot(apis.hosts[0]!.base, {
      client,
      rail: 'packetops',
    })
    const { pilot_id } = pilot
    await review('pilot', pilot_id)
    const asked = { ...(await start()), rail: 'packetops', pilot_id } as const
    const payment_reference_id = await paid(asked.quote_id)
    const given = { ...asked, pilot_token: status_token, payment_reference_id }
    return (await agent.client.call('first-pilot-run', given)).body.run
  },
  controlled: async (customer_account) => {
    const request = { objective: 'Whether the bill agrees with the meter.', customer_account }
    const asked = { ...(await start('energyops')), request, tool_scope: ['energyops' as const] }
    const payment_reference_id = await paid(asked.quote_id)
    const given = { ...asked, payment_reference_id }
    return (await agent.client.call('energyops-controlled-pilot-run', given)).body.run
  },
  wallet: async (customer_account) => {
    const asked = { ...(await start()), rail: 'packetops', customer_account } as const
    const { wallet_id } = agent
    return (await agent.client.call('wallet-run-start', { ...asked, wallet_id })).body.run
  },
  agent_use: async (customer_account) => {
    const asked = { ...(await start()), rail: 'packetops', customer_account } as const
    const { wallet_id } = agent
    return (await agent.start({ ...asked, mode: 'start_agent_run', wallet_id })).body.run
  },
  workflow: async (customer_account) => {
    const id = await agent.active({ customer_account, cadence: 'on_demand' })
    await agent.run(id)
    const fired = async () => (await agent.read(id)).firings[0]?.run_id
    await expect.poll(fired).toMatch(/^run_/)
    return agent.status(String(await fired()))
  },
}

async function close({ run_id, task_id, work_order_id }: Started) {
  if (work_order_id === null) await review('task', task_id)
  else await review('work_order', work_order_id)
  const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  await review('loop_step', run_id)
  const state = async () => (await agent.status(run_id, 5_000)).state
  await expect.poll(state).toBe('closed')
}

const prospectFor = async (customer_account: string) =>
  (
    await console().call('create-prospect', {
      mode: 'create_prospect',
      label: customer_account,
      channel: 'agent',
      agent_id: agentId,
      customer_account,
      idempotency_key: freshKey(),
    })
  ).body.prospect.prospect_id
const paidRuns = async () => (await console().call('sprint-read', {})).body.actual.paid_runs
const listed = async (query: InputOf<'production-runs-read'>) =>
  (await agent.client.call('production-runs-read', query)).body

for (const [kind, begin] of Object.entries(kinds))
  verifies('production.every-run', `a paid run counts however it began: ${kind}`, async () => {
    const customer_account = `account of ${kind}`
    const prospect_id = await prospectFor(customer_account)
    const before = await paidRuns()
    const asked = {
      rail: kind === 'controlled' ? 'energyops' : 'packetops',
      tier: 'standard',
    } as const
    const { activation } = (
      await agent.client.call('activation-start', {
        ...asked,
        customer_account,
        idempotency_key: freshKey(),
      })
    ).body
    const run = await begin(customer_account)
    expect((await listed({ run_id: run.run_id })).items).toMatchObject([
      { binding: { customer_account, return_package_id: null } },
    ])
    expect(await paidRuns()).toBe(before)
    await close(run)

    const { items } = await listed({ customer_account })
    const { settlement_receipt_id, usage_receipt_id, ...done } = await agent.status(run.run_id)
    const { return_package_id, payment_reference_id } = done
    expect(items).toMatchObject([
      {
        binding: { payment_reference_id, return_package_id, receipt_id: usage_receipt_id },
        run: { run_id: run.run_id },
      },
    ])
    expect(items[0]?.gate.checks.every(({ ok }) => ok)).toBe(true)
    const { activation_id } = activation
    const path = (await agent.client.call('activation-path-read', { activation_id })).body
      .activation
    expect(path?.steps.filter(({ state }) => state === 'open')).toEqual([])
    expect(path?.steps.map(({ step }) => step)).toEqual(pathSteps)
    expect(path?.steps.map(({ evidence_id }) => evidence_id)).toEqual(
      expect.arrayContaining([settlement_receipt_id, return_package_id, usage_receipt_id]),
    )
    expect(await paidRuns()).toBe(before + 1)
    const offered = await console().call('paid-next-step-mark', {
      prospect_id,
      to: 'paid_next_step_ready',
      tier: 'pro',
      idempotency_key: freshKey(),
    })
    expect(offered.body).toMatchObject({ prospect: { state: 'converted_to_paid' } })
  })

verifies('production.every-run', 'no synthetic run is a production run', async () => {
  const customer_account = 'account of nothing'
  const asked = { ...(await start()), rail: 'packetops', customer_account } as const
  const given = { ...asked, mode: 'start_agent_run', usage: 'synthetic' } as const
  const { run_id } = (await agent.start(given)).body.run
  expect(await listed({ run_id })).toMatchObject({ items: [], total: 0 })
  expect(await listed({ customer_account })).toMatchObject({ total: 0 })
  // The account of a run is that of the write that the gate admitted.
  const rows = sql`insert into customer_runs select task_id, audit_event_id, ${'0'.repeat(64)}, 'another'
    from production_runs where agent_id = ${agentId} limit 1`
  await expect(rows.execute(apis.db)).rejects.toThrow('the account that its write was admitted for')
})
