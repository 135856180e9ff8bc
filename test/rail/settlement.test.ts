import { afterAll, beforeAll, expect } from 'vitest'
import { paymentId } from '../../workflows/domain/ids.ts'
import { type Agent, eventually, openRail, type Rail, type RawAnswer } from '../support/agent.ts'
import { pause, restart, whileFrozen } from '../support/faults.ts'
import {
  broadcastByOther,
  callsOf,
  earnings,
  openPayer,
  type Payment,
  paymentHeader,
  send,
  signPayment,
} from '../support/payments.ts'
import {
  beforeBroadcast,
  down,
  type FaultyWire,
  losesTransactions,
  silentAfterBroadcast,
  startFaultyWire,
} from '../support/rpc-proxy.ts'
import { startStack, type TestStack } from '../support/stack.ts'
import { verifies } from '../verifies.ts'

let wire: FaultyWire
let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    chainThrough: async (rpcUrl) => {
      wire = await startFaultyWire(rpcUrl)
      return wire.url
    },
    env: {
      UPDATE_WAIT_MS: '2500',
      SETTLE_WAIT_MS: '2500',
      EXECUTE_WAIT_MS: '2500',
      CALL_LEASE_MS: '2000',
      SWEEP_EVERY_MS: '300',
      SWEEP_GRACE_MS: '20000',
      CONFIRM_WINDOW_MS: '1000',
      CHAIN_POLL_MS: '100',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  await wire?.close()
})

/** A create that can be sent again: the same terms each time, a fresh proof each time, and the payment only when asked. */
async function newCreate() {
  const agent = await openPayer(rail)
  const terms = rail.terms()
  const payment = await signPayment(rail, agent)
  return {
    agent,
    payment,
    call: (headers: Record<string, string> = paymentHeader(payment)) =>
      send(rail, agent, 'payout-create', terms, headers),
  }
}

const stateOf = async ({ payload }: Payment) => {
  const { from, nonce } = payload.authorization
  const row = await rail.db
    .selectFrom('payments')
    .select(['state', 'transaction_hash', 'credit'])
    .where('payment_id', '=', paymentId(rail.asset, from, nonce))
    .executeTakeFirst()
  return row
}
const callState = async (agent: Agent) => (await callsOf(rail, agent))[0]
const payoutsOf = async ({ address }: Agent) =>
  (await rail.db.selectFrom('payouts').select('payout_id').where('creator', '=', address).execute()).length

/** Sends until the answer is not one that says to repeat. */
const insist = (call: () => Promise<RawAnswer>) =>
  eventually(call, ({ body }) => body['retryable'] !== true, 20_000, 200)

const pending = { status: 503, body: { code: 'settlement_pending', money_moved: 'unknown', retryable: true } }

/** Charged once for one payout, by Postgres and by the chain. */
async function expectChargedOnce(agent: Agent, payment: Payment, earned: bigint): Promise<void> {
  expect([earned, await rail.balance(agent.address)]).toEqual([100_000n, 900_000n])
  expect(await stateOf(payment)).toMatchObject({ state: 'settled' })
  expect(await callsOf(rail, agent)).toMatchObject([{ funding: 'payment', grant_state: 'used', answer_state: 'final' }])
  expect(await payoutsOf(agent)).toBe(1)
}

verifies(
  'x402.third-party-broadcast',
  'a payment that somebody else broadcasts first is settled by their transaction',
  async () => {
    const { agent, payment, call } = await newCreate()
    let theirs: string | undefined
    wire.fail(
      beforeBroadcast(async () => {
        theirs = await broadcastByOther(rail, payment)
      }),
    )
    const { result, earned } = await earnings(rail, call)
    wire.mend()
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
    expect((await stateOf(payment))?.transaction_hash).toBe(theirs)
  },
)

verifies(
  'x402.unknown-outcome',
  'an RPC that takes the payment and then falls silent: 503 settlement_pending, retries join, never a fresh 402',
  async () => {
    const { agent, payment, call } = await newCreate()
    wire.fail(silentAfterBroadcast())
    const { result, earned } = await earnings(rail, async () => {
      const told = await Promise.all([call(), pause(500).then(() => call({})), pause(900).then(() => call())])
      wire.mend()
      return [...told, await insist(() => call({}))]
    })
    expect(result.slice(0, 3)).toMatchObject([pending, pending, pending])
    expect(result[3]?.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'x402.unknown-outcome',
  'an execute whose fee is out while the RPC is silent never says that no money moved',
  async () => {
    const agent = await openPayer(rail)
    const { payout_id } = await rail.authorized(agent)
    const payment = await signPayment(rail, agent)
    const body = { payout_id, idempotency_key: 'execute' }
    const call = () => send(rail, agent, 'payout-execute', body, paymentHeader(payment))
    wire.fail(silentAfterBroadcast())
    const { result, earned } = await earnings(rail, async () => {
      const told = [await call(), await call()]
      wire.mend()
      return [...told, await eventually(call, ({ status }) => status === 200)]
    })
    expect(result[0]).toMatchObject(pending)
    expect(result[1]).toMatchObject({ status: 503, body: { money_moved: 'unknown' } })
    expect([result[2]?.status, earned]).toEqual([200, 100_000n])
  },
)

verifies(
  'x402.unknown-outcome',
  'a payment is refused with 503 within 2 s while the chain is down, and claims nothing',
  async () => {
    const { agent, payment, call } = await newCreate()
    wire.fail(down)
    const begun = performance.now()
    const { status, body } = await call()
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect([status, body['code'], body['money_moved']]).toEqual([503, 'unavailable', 'no'])
    expect([await stateOf(payment), await callsOf(rail, agent)]).toEqual([undefined, []])
    wire.mend()
    const { result, earned } = await earnings(rail, call)
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'x402.process-killed',
  'the API killed between claim and effect: the retry gets the result, charged once',
  async () => {
    const { agent, payment, call } = await newCreate()
    const { result, earned } = await earnings(rail, async () => {
      await whileFrozen(stack.worker(), async () => {
        const lost = call().catch(() => 'lost')
        await eventually(
          () => callState(agent),
          (row) => row?.grant_state === 'open',
          5_000,
          20,
        )
        await stack.api().kill('SIGKILL')
        expect(await lost).toBe('lost')
        expect(await callState(agent)).toMatchObject({ grant_state: 'open', answer_state: 'open', funding: 'payment' })
      })
      await restart(stack.api())
      return insist(call)
    })
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'x402.process-killed',
  'the API killed between effect and settlement: the retry gets the result, charged once',
  async () => {
    const { agent, payment, call } = await newCreate()
    wire.fail(losesTransactions)
    const { result, earned } = await earnings(rail, async () => {
      const lost = call().catch(() => 'lost')
      await eventually(
        () => callState(agent),
        (row) => row?.answer_state === 'done',
        5_000,
        20,
      )
      await stack.api().kill('SIGKILL')
      expect(await lost).toBe('lost')
      expect(await callState(agent)).toMatchObject({ grant_state: 'used', answer_state: 'done' })
      wire.mend()
      await restart(stack.api())
      return insist(() => call({}))
    })
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'charge.late-effect',
  'a paid create told 503 by its deadline is charged once when its effect runs, and its retry gets the result',
  async () => {
    const { agent, payment, call } = await newCreate()
    const { result, earned } = await earnings(rail, async () => {
      const told = await whileFrozen(stack.worker(), () => call())
      await eventually(
        () => stateOf(payment),
        (row) => row?.state === 'settled',
      )
      return [told, await call({}), await call()]
    })
    expect(result[0]).toMatchObject({ status: 503, body: { retryable: true } })
    expect(result.slice(1).map(({ status, body }) => [status, body])).toEqual([
      [201, result[2]?.body],
      [201, result[1]?.body],
    ])
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'charge.late-effect',
  'free creates told 503 by their deadline use one free call each when their effects run',
  async () => {
    const agent = await rail.openAgent()
    const terms = [rail.terms(), rail.terms(), rail.terms()]
    const createAll = () => Promise.all(terms.map((each) => send(rail, agent, 'payout-create', each)))
    const told = await whileFrozen(stack.worker(), createAll)
    await eventually(
      () => payoutsOf(agent),
      (count) => count === 3,
    )
    const retried = await createAll()
    expect([told.map(({ status }) => status), retried.map(({ status }) => status)]).toEqual([
      [503, 503, 503],
      [201, 201, 201],
    ])
    expect((await callsOf(rail, agent)).map(({ funding, grant_state }) => [funding, grant_state])).toEqual(
      Array(3).fill(['free', 'used']),
    )
  },
)
