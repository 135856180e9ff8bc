import { afterAll, beforeAll, expect } from 'vitest'
import { eventually, nowSeconds, openRail, type Rail } from '../../support/agent.ts'
import {
  expectExecutedOnce,
  expectUnavailable,
  explained,
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
      CALL_LEASE_MS: '2000',
      DATABASE_TIMEOUT_MS: '1000',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

/** One call of each kind, ready to be sent: to create, to authorize, to execute, and to read. */
async function prepare() {
  const agent = await rail.openAgent()
  const [toAuthorize, toExecute] = [await rail.create(agent), await rail.authorized(agent)]
  const authorization = await rail.treasury.authorize(toAuthorize, {
    expiresAt: nowSeconds() + 3600,
    idempotencyKey: 'authorize',
  })
  const terms = rail.terms()
  return {
    agent,
    create: () => agent.client.call('payout-create', terms),
    authorize: () => agent.client.call('payout-authorize', authorization),
    execute: () =>
      agent.client.call('payout-execute', {
        payout_id: toExecute.payout_id,
        idempotency_key: 'execute',
      }),
    status: () => agent.client.call('payout-status', { payout_id: toExecute.payout_id }),
  }
}

/** The same calls once more, as an agent repeats them; each is one of its free calls and none was counted twice. */
async function expectAllGoOn(calls: Awaited<ReturnType<typeof prepare>>, free: number) {
  const [created, authorized, executed] = await Promise.all([
    insist(calls.create),
    insist(calls.authorize),
    insist(calls.execute),
  ])
  expect(created.status).toBe(201)
  expect(authorized.body.payout.state).toBe('authorized')
  await expectExecutedOnce(rail, executed.body)
  const rows = await rail.db
    .selectFrom('calls')
    .select('grant_state')
    .where('caller', '=', `wallet:${calls.agent.address}`)
    .where('grant_state', '<>', 'released')
    .execute()
  expect(rows.map((row) => row.grant_state)).toEqual(Array.from({ length: free }, () => 'used'))
  expect(
    await eventually(
      () => readiness(stack),
      ({ ok }) => ok,
    ),
  ).toEqual({ health: 200, status: 200, ok: true, down: [] })
}

const inspected = (test: () => Promise<void>) => () => explained(stack, test)

verifies(
  'local.ready-worker',
  'a ready worker survives a kill of Postgres and serves when it is back',
  inspected(async () => {
    const agent = await rail.openAgent()
    const worker = stack.worker()
    await worker.kill('SIGKILL')
    await worker.start()
    await worker.waitReady()
    const bringBack = await takeDown(stack.postgres, 'killed')
    const { pid } = worker
    await pause(1_000)
    await bringBack()
    expect(worker.pid).toBe(pid)
    const terms = rail.terms()
    expect((await insist(() => agent.client.call('payout-create', terms))).status).toBe(201)
    expect(worker.pid).toBe(pid)
  }),
)

for (const fault of ['killed', 'stopped'] as const) {
  verifies(
    ['pipeline.dependency-down', 'health.ready'],
    `Postgres ${fault}: each call is 503 in 2 s, and all recover`,
    inspected(async () => {
      const calls = await prepare()
      const bringBack = await takeDown(stack.postgres, fault)
      const refusals = await Promise.all(
        [calls.create, calls.authorize, calls.execute, calls.status].map((call) =>
          refusalOf(call()),
        ),
      )
      const seen = await readiness(stack)
      await bringBack()
      expectUnavailable(refusals)
      expect(seen).toEqual({
        health: 200,
        status: 503,
        ok: false,
        down: ['clock', 'disk', 'postgres', 'schema'],
      })
      await expectAllGoOn(calls, 6)
    }),
  )

  verifies(
    ['pipeline.dependency-down', 'health.ready', 'status.read-only'],
    `Temporal ${fault}: writes are 503 in 2 s, and all recover`,
    inspected(async () => {
      const calls = await prepare()
      const bringBack = await takeDown(stack.temporal, fault)
      const refusals = await Promise.all(
        [calls.create, calls.authorize, calls.execute].map((call) => refusalOf(call())),
      )
      const status = await calls.status()
      const seen = await readiness(stack)
      await bringBack()
      expectUnavailable(refusals)
      expect(refusals.map(({ money_moved }) => money_moved)).toEqual(['no', 'no', 'unknown'])
      expect(status.body.payout.state).toBe('authorized')
      expect(seen).toEqual({
        health: 200,
        status: 503,
        ok: false,
        down: ['search_attributes', 'temporal', 'workers'],
      })
      await expectAllGoOn(calls, 7)
    }),
  )
}
