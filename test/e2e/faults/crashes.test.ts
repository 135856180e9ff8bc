import { afterAll, beforeAll, expect } from 'vitest'
import { findTransfer } from '../../../activities/store/payouts/payouts.ts'
import { type Agent, openRail, type Rail } from '../../support/agent.ts'
import {
  broadcast,
  expectExecutedOnce,
  haltMining,
  insist,
  pause,
  restart,
} from '../../support/faults.ts'
import { insertReservedTransfer } from '../../support/payout-rows.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    apis: 2,
    workers: 2,
    env: {
      EXECUTE_WAIT_MS: '3000',
      CONFIRM_WINDOW_MS: '1000',
      SWEEP_EVERY_MS: '300',
      CHAIN_POLL_MS: '100',
      CALL_LEASE_MS: '3000',
      LATE_AFTER_MS: '1000',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const execute = (agent: Agent, payoutId: string) =>
  insist(() =>
    agent.client.call('payout-execute', { payout_id: payoutId, idempotency_key: 'execute' }),
  )

for (const name of ['temporal', 'postgres', 'api'] as const) {
  verifies(
    ['durable.kill-parts', 'durable.unknown-update'],
    `${name} killed in authorize and execute: each has one effect`,
    async () => {
      const part = name === 'api' ? stack.api() : stack[name]
      const agent = await rail.openAgent()
      const payout = await rail.create(agent)
      const expiresAt = Math.floor(Date.now() / 1000) + 3600
      const input = await rail.treasury.authorize(payout, {
        expiresAt,
        idempotencyKey: 'authorize',
      })
      const authorized = insist(() => agent.client.call('payout-authorize', input))
      await pause(15)
      await part.kill('SIGKILL')
      await restart(part)
      expect((await authorized).body.payout.state).toBe('authorized')

      const resume = await haltMining(rail)
      const answer = execute(agent, payout.payout_id)
      await broadcast(rail, payout.payout_id)
      await part.kill('SIGKILL')
      await resume()
      await restart(part)
      await expectExecutedOnce(rail, (await answer).body)
      const calls = await rail.db
        .selectFrom('calls')
        .select(['operation', 'funding', 'grant_state'])
        .where('caller', '=', `wallet:${agent.address}`)
        .execute()
      expect(calls).toHaveLength(3)
      expect(
        calls.every(({ funding, grant_state }) => funding === 'free' && grant_state === 'used'),
      ).toBe(true)
    },
  )
}

verifies(
  'recovery.running',
  'a reservation whose result was lost is paid without a call',
  async () => {
    const agent = await rail.openAgent()
    const { payout_id } = await rail.authorized(agent)
    // Its workflow runs and knows an authorized payout; the row is ahead of it.
    await insertReservedTransfer(rail.db, payout_id)
    const status = async () => (await findTransfer(rail.db, payout_id))?.status
    await expect.poll(status).toMatch(/included|final/)
  },
)

verifies(
  'durable.terminated',
  'the sweep resumes a transfer whose workflow was terminated',
  async () => {
    const agent = await rail.openAgent()
    const { payout_id } = await rail.authorized(agent)
    const resume = await haltMining(rail)
    const answer = execute(agent, payout_id)
    await broadcast(rail, payout_id)
    await rail.temporal.workflow.getHandle(payout_id).terminate('by hand')
    await resume()
    await expectExecutedOnce(rail, (await answer).body)
  },
)

verifies(
  'durable.terminated',
  'authorize resumes a created payout whose workflow was terminated',
  async () => {
    const agent = await rail.openAgent()
    const payout = await rail.create(agent)
    await rail.temporal.workflow.getHandle(payout.payout_id).terminate('by hand')
    const input = await rail.treasury.authorize(payout, {
      expiresAt: Math.floor(Date.now() / 1000) + 3600,
      idempotencyKey: 'authorize',
    })
    expect((await agent.client.call('payout-authorize', input)).body.payout.state).toBe(
      'authorized',
    )
    await rail.temporal.workflow.getHandle(payout.payout_id).terminate('again')
    await expectExecutedOnce(rail, (await execute(agent, payout.payout_id)).body)
  },
)

verifies(
  'operate.drain',
  'a stopping API answers its open call while a second one serves',
  async () => {
    const agent = await rail.openAgent()
    const { payout_id } = await rail.authorized(agent)
    const resume = await haltMining(rail)
    const call = { payout_id, idempotency_key: 'execute' }
    const inFlight = agent.client.call('payout-execute', call)
    await broadcast(rail, payout_id)
    await stack.api().kill('SIGTERM')
    await pause(300)
    await expect(fetch(`${stack.baseUrls[0]}/healthz`)).rejects.toThrow()
    const other = await rail.openAgent({ api: 1, wallet: agent })
    const joined = execute(other, payout_id)
    await resume()
    // A slow machine may take longer than an execute waits.
    expect([200, 202]).toContain((await inFlight).status)
    const { body } = await joined
    await expectExecutedOnce(rail, body)
    expect((await inFlight).body.payout.transfer.transaction_hash).toBe(
      body.payout.transfer.transaction_hash,
    )
    await stack.api().exited
    await restart(stack.api())
  },
)
