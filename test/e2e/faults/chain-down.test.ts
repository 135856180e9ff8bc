import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../api/http/client.ts'
import type { Payout } from '../../../worker/stack/treasury.ts'
import { type Agent, eventually, openRail, type Rail } from '../../support/agent.ts'
import {
  broadcast,
  expectExecutedOnce,
  expectUnavailable,
  haltMining,
  insist,
  pause,
  readiness,
  refusalOf,
  takeDown,
} from '../../support/faults.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    env: {
      EXECUTE_WAIT_MS: '1000',
      CONFIRM_WINDOW_MS: '1000',
      SWEEP_EVERY_MS: '300',
      CHAIN_POLL_MS: '100',
      // What was read of the chain before it went down counts for no call after it.
      CHAIN_CACHE_MS: '1',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const execute = (agent: Agent, { payout_id }: Payout) =>
  agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })

/** A free and a paying agent with a payout to execute, and a payout whose transfer is sent and not mined. */
async function prepare() {
  const [free, payer, third] = await Promise.all([
    rail.openAgent(),
    rail.openAgent({ tokens: 1_000_000n }),
    rail.openAgent(),
  ])
  const [fresh, toPay, reserved] = await Promise.all(
    [free, payer, third].map((agent) => rail.authorized(agent)),
  )
  await rail.useUpFreeCalls(payer.address)
  await pause(2_500) // anvil writes its state every second
  await haltMining(rail)
  expect((await execute(third, reserved!)).status).toBe(202)
  await broadcast(rail, reserved!.payout_id)
  return { free, payer, third, fresh: fresh!, toPay: toPay!, reserved: reserved! }
}

/** What the refused calls have left: grants that are not used, payments that are bound, transfers. */
async function leftovers({ free, payer, fresh, toPay }: Awaited<ReturnType<typeof prepare>>) {
  const callers = [free, payer].map(({ address }) => `wallet:${address}`)
  const payouts = [fresh, toPay].map(({ payout_id }) => payout_id)
  const { db } = rail
  const [open, payments, transfers] = await Promise.all([
    db
      .selectFrom('calls')
      .select('operation')
      .where('caller', 'in', callers)
      .where('grant_state', '=', 'open')
      .execute(),
    db.selectFrom('payments').select('state').where('payer', '=', payer.address).execute(),
    db.selectFrom('transfers').select('status').where('payout_id', 'in', payouts).execute(),
  ])
  return [...open, ...payments, ...transfers]
}

for (const fault of ['killed', 'stopped'] as const) {
  verifies(
    [
      'pipeline.chain-down',
      'health.ready',
      'health.degraded',
      'execute.accepted',
      'execute.parked',
    ],
    `the chain ${fault}: calls that need it are 503 in 2 s, and all recover`,
    async () => {
      const scene = await prepare()
      const { free, payer, third, fresh, toPay, reserved } = scene
      const terms = rail.terms()
      const paidCreate = () => payer.client.call('payout-create', terms)

      const bringBack = await takeDown(stack.chain, fault)
      const refused = [execute(free, fresh), paidCreate(), execute(payer, toPay)]
      const refusals = await Promise.all(refused.map(refusalOf))
      const waiting = await execute(third, reserved)
      const challenge = {
        holder_wallet: rail.treasury.holder.address,
        request_sha256: '0'.repeat(64),
      }
      const advanceTask = await Promise.all([
        free.client.call('payout-create', rail.terms()),
        free.client.call('payout-status', { payout_id: fresh.payout_id }),
        createClient({ baseUrl: stack.baseUrls[0]! }).call('payout-challenge', challenge),
      ])
      const [seen, left, paid] = await Promise.all([
        readiness(stack),
        leftovers(scene),
        fetch(`${stack.baseUrls[0]}/readyz?for=payouts`).then(({ status }) => status),
      ])
      const parked = await eventually(
        () => execute(third, reserved),
        ({ body }) => body.payout.next_action.includes('the chain does not answer'),
      )
      await bringBack()
      if (fault === 'stopped') await rail.chain.setIntervalMining({ interval: 1 })

      expectUnavailable(refusals)
      expect(refusals.map(({ money_moved }) => money_moved)).toEqual(['no', 'no', 'no'])
      expect(left).toEqual([])
      expect(waiting).toMatchObject({
        status: 202,
        body: { payout: { state: 'authorized', money_moved: 'unknown' } },
      })
      expect(parked).toMatchObject({ status: 202, body: { payout: { money_moved: 'unknown' } } })
      expect(parked.body.payout.next_action).toContain('the chain does not answer')
      expect(advanceTask.map(({ status }) => status)).toEqual([201, 200, 200])
      expect(seen).toEqual({ health: 200, status: 200, ok: true, down: ['chain', 'nodes'] })
      expect(paid).toBe(503)

      const [created, ...executed] = await Promise.all([
        insist(paidCreate),
        insist(() => execute(free, fresh)),
        insist(() => execute(payer, toPay)),
        insist(() => execute(third, reserved)),
      ])
      expect(created.status).toBe(201)
      for (const { body } of executed) await expectExecutedOnce(rail, body)
      expect(await rail.balance(payer.address)).toBe(1_000_000n - 200_000n)
      expect(
        await eventually(
          () => readiness(stack),
          ({ down }) => down.length === 0,
        ),
      ).toMatchObject({ ok: true, down: [] })
    },
  )
}
