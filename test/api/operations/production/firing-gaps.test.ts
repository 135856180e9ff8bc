import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { callId } from '#domain/core/ids.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { issueQuote, openChallenge, openEntitlement } from '../../../../activities/credit/quotes.ts'
import { payByAllowance } from '../../../../activities/credit/references.ts'
import { lockWallet } from '../../../../activities/store/credit/allowance-wallets.ts'
import { lockSwitches } from '../../../../activities/store/operators/controls.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import {
  beginFiring,
  lockWorkflow,
  quoteFiring,
} from '../../../../activities/store/production/customer-workflows.ts'
import { moneyOver } from '../../../activities/credit/fixture.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { performDelegations } from '../../../support/delegations.ts'
import { openWorkflows } from '../../../support/workflows.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let worker: Awaited<ReturnType<typeof performDelegations>>
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
  worker = await performDelegations(apis)
})
afterAll(async () => {
  await worker?.stop()
  await apis?.stop()
})

const stops = ['pause', 'delete'] as const
type Stop = (typeof stops)[number]
type Agent = Awaited<ReturnType<typeof openWorkflows>>

/** An active workflow whose wallet pays for several runs, and one firing of it that is not carried out yet. */
async function fired() {
  const agent = await openWorkflows(apis)
  await agent.fund(500)
  const workflow_id = await agent.active({ tier: 'entry' })
  const firing = `${workflow_id}-gap`
  const firing_id = `fi_${digestOf({ firing })}`
  const due_at = new Date()
  const workflow = await transaction(apis.db, (tx) => lockWorkflow(tx, workflow_id))
  if (workflow === undefined) throw new Error('a workflow was expected')
  const call_id = callId(`agent:${workflow.agent_id}`, 'wallet-run-start', firing_id)
  const { terms_sha256, agent_id, rail } = workflow
  /** What a worker has stored that dies then. */
  const begin = () =>
    transaction(apis.db, (tx) =>
      beginFiring(tx, { firing_id, workflow_id, due_at, call_id, terms_sha256 }, 1),
    )
  const quote = async () => {
    await begin()
    return transaction(apis.db, async (tx) => {
      const asked = {
        by: { owner: agent_id },
        rail: railOf(rail as RailKey),
        tier: 'entry',
      } as const
      const issued = await issueQuote({ issuer: apis.config.BASE_URL }, tx, asked)
      expect(await quoteFiring(tx, firing_id, issued.quote_id)).toBe(issued.quote_id)
      return issued
    })
  }
  const carryOut = () => worker.fireWorkflow({ workflowId: workflow_id, firing })
  const stored = () =>
    apis.db
      .selectFrom('workflow_firings')
      .select(['state', 'quote_id'])
      .where('firing_id', '=', firing_id)
      .executeTakeFirst()
  return { agent, workflow, firing_id, begin, quote, carryOut, stored }
}

const stop = ({ client }: Agent, workflow_id: string, how: Stop) => {
  const asked = { workflow_id, idempotency_key: freshKey() }
  return how === 'pause'
    ? client.call('customer-workflow-pause', { mode: 'pause_workflow', ...asked })
    : client.call('customer-workflow-delete', { mode: 'delete_workflow', ...asked })
}
const balanceOf = async ({ client, wallet_id }: Agent) =>
  (await client.call('allowance-wallet-read', { wallet_id })).body.wallet?.balance_units

verifies(
  'workflow.stops',
  'a firing that was begun or quoted before a stop pays nothing',
  async () => {
    for (const how of stops)
      for (const gap of ['due', 'begun', 'quoted'] as const) {
        const one = await fired()
        if (gap === 'begun') await one.begin()
        if (gap === 'quoted') await one.quote()
        await stop(one.agent, one.workflow.workflow_id, how)
        const refused = await one.carryOut()
        expect([how, gap, refused?.state, refused?.code]).toEqual([
          how,
          gap,
          'refused',
          'wrong_state',
        ])
        expect(await balanceOf(one.agent)).toBe(500)
      }
  },
)

verifies('workflow.stops', 'a stop between the steps of a firing that runs is seen', async () => {
  for (const how of stops) {
    const one = await fired()
    const running = await transaction(apis.db, async (tx) => {
      // Its quote waits for the switches.
      await lockSwitches(tx)
      const carriedOut = one.carryOut()
      await expect.poll(one.stored).toEqual({ state: 'due', quote_id: null })
      await stop(one.agent, one.workflow.workflow_id, how)
      return { carriedOut }
    })
    expect(await running.carriedOut).toMatchObject({ state: 'refused', code: 'wrong_state' })
    expect(await balanceOf(one.agent)).toBe(500)
  }
})

verifies(
  'workflow.stops',
  'a stop is answered after a payment that it came too late for',
  async () => {
    const one = await fired()
    const answered: string[] = []
    const running = await transaction(apis.db, async (tx) => {
      await lockWallet(tx, one.agent.wallet_id)
      const paying = one.carryOut().then((outcome) => {
        answered.push('paid')
        return outcome
      })
      await expect.poll(async () => (await one.stored())?.quote_id).toBeTruthy()
      const isShared = () =>
        transaction(apis.db, async (other) => {
          const free = await other
            .selectFrom('customer_workflows')
            .select('workflow_id')
            .where('workflow_id', '=', one.workflow.workflow_id)
            .forUpdate()
            .skipLocked()
            .execute()
          return free.length === 0
        })
      await expect.poll(isShared).toBe(true)
      const stopping = stop(one.agent, one.workflow.workflow_id, 'pause').then(() => {
        answered.push('stopped')
      })
      return { paying, stopping }
    })
    expect(await running.paying).toMatchObject({ state: 'started' })
    await running.stopping
    expect(await balanceOf(one.agent)).toBe(451)
    // A repeat finds the run that was paid before the stop.
    expect(await one.carryOut()).toMatchObject({ state: 'started' })
    expect(answered).toHaveLength(2)
  },
)

verifies('workflow.stops', 'a run that was paid before a stop is found after it', async () => {
  const one = await fired()
  const { quote_id } = await one.quote()
  const { rail, tier, wallet_id, customer_account, callback_url, input, acceptance_criteria } =
    one.workflow
  const start = {
    rail,
    tier,
    wallet_id,
    customer_account,
    callback_url,
    input,
    acceptance_criteria,
  }
  // The call of the firing, whose worker died before it stored the result.
  await one.agent.client.call('wallet-run-start', {
    ...(start as object),
    quote_id,
    on_gaps: 'report',
    accept_terms: true,
    idempotency_key: one.firing_id,
  } as never)
  await stop(one.agent, one.workflow.workflow_id, 'delete')
  expect(await one.carryOut()).toMatchObject({ state: 'started' })
  expect(await balanceOf(one.agent)).toBe(451)
})

verifies(
  ['workflow.due', 'stolen.temporal'],
  'firings that nothing made due start one run',
  async () => {
    const { agent, workflow } = await fired()
    const { workflow_id: workflowId } = workflow
    const ended = []
    for (const name of ['forged', 'forged-2030-01-01T00:00:00Z', 'forged-again'])
      ended.push(await worker.fireWorkflow({ workflowId, firing: `${workflowId}-${name}` }))
    expect(ended.map((firing) => [firing?.state, firing?.code])).toEqual([
      ['started', null],
      ['refused', 'rate_limited'],
      ['refused', 'rate_limited'],
    ])
    expect(await balanceOf(agent)).toBe(451)
  },
)

verifies('workflow.stops', 'SQL pays no firing of a workflow that is stopped', async () => {
  const one = await fired()
  const quote = await one.quote()
  await stop(one.agent, one.workflow.workflow_id, 'pause')
  const money = await moneyOver(apis.db)
  const pay = transaction(apis.db, async (tx) => {
    await openEntitlement(tx, quote, one.workflow.agent_id)
    const { challenge_id } = await openChallenge(tx, quote.quote_id)
    const { agent_id: agentId, wallet_id: walletId } = one.workflow
    return payByAllowance(money, tx, { agentId, walletId, challengeId: challenge_id })
  })
  await expect(pay).rejects.toMatchObject({
    message: 'the workflow of the firing is not active',
  })
})

verifies('money.quote', 'no other call of the agent gets the quote of a firing', async () => {
  const one = await fired()
  const { quote_id } = await one.quote()
  const ask = async () =>
    (
      await one.agent.client.call('agent-quote', {
        rail: one.workflow.rail as 'packetops',
        tier: 'entry',
        idempotency_key: freshKey(),
      })
    ).body.quote.quote_id
  expect(await ask()).not.toBe(quote_id)
  expect(await one.carryOut()).toMatchObject({ state: 'started' })
})
