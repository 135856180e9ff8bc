import { expect } from 'vitest'
import { type Agent, eventually } from '../../support/agent.ts'
import { pause, restart, whileFrozen } from '../../support/faults.ts'
import { answered, faultyRail, payoutsOf, storedPayment } from '../../support/faulty-rail.ts'
import {
  broadcastByOther,
  callsOf,
  earnings,
  openPayer,
  type Payment,
  paymentHeader,
  send,
  signPayment,
} from '../../support/payments.ts'
import {
  beforeBroadcast,
  down,
  losesTransactions,
  silentAfterBroadcast,
} from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'

const on = faultyRail({ EXECUTE_WAIT_MS: '2500', CALL_LEASE_MS: '2000', CONFIRM_WINDOW_MS: '1000' })

/** A create that can be sent again: the same terms each time, a fresh proof each time, and the payment only when asked. */
async function newCreate() {
  const agent = await openPayer(on.rail)
  const terms = on.rail.terms()
  const payment = await signPayment(on.rail, agent)
  return {
    agent,
    payment,
    call: (headers: Record<string, string> = paymentHeader(payment)) =>
      send(on.rail, agent, 'payout-create', terms, headers),
  }
}

const callState = async (agent: Agent) => (await callsOf(on.rail, agent))[0]

const pending = {
  status: 503,
  body: { code: 'settlement_pending', money_moved: 'unknown', retryable: true },
}

/** Charged once for one payout, by Postgres and by the chain. */
async function expectChargedOnce(agent: Agent, payment: Payment, earned: bigint): Promise<void> {
  expect([earned, await on.rail.balance(agent.address)]).toEqual([100_000n, 900_000n])
  expect(await storedPayment(on.rail, payment)).toMatchObject({ state: 'settled' })
  expect(await callsOf(on.rail, agent)).toMatchObject([
    { funding: 'payment', grant_state: 'used', answer_state: 'final' },
  ])
  expect(await payoutsOf(on.rail, agent)).toBe(1)
}

verifies(
  'x402.third-party-broadcast',
  'a payment that a third party broadcasts is settled by its transaction',
  async () => {
    const { agent, payment, call } = await newCreate()
    let theirs: string | undefined
    on.wire.fail(
      beforeBroadcast(async () => {
        theirs = await broadcastByOther(on.rail, payment)
      }),
    )
    const { result, earned } = await earnings(on.rail, () => answered(call))
    on.wire.mend()
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
    expect((await storedPayment(on.rail, payment))?.transaction_hash).toBe(theirs)
  },
)

verifies(
  'x402.unknown-outcome',
  'an RPC that falls silent after a payment is 503, never a fresh 402',
  async () => {
    const { agent, payment, call } = await newCreate()
    on.wire.fail(silentAfterBroadcast())
    const { result, earned } = await earnings(on.rail, async () => {
      const notified = await Promise.all([
        call(),
        pause(500).then(() => call({})),
        pause(900).then(() => call()),
      ])
      on.wire.mend()
      return [...notified, await answered(() => call({}))]
    })
    expect(result[0]).toMatchObject(pending)
    // A repeat may still wait for the attempt that pays.
    for (const { body } of result.slice(1, 3)) {
      expect(body).toMatchObject({ money_moved: 'unknown', retryable: true })
      expect(['settlement_pending', 'idempotency_in_flight']).toContain(body['code'])
    }
    expect(result[3]?.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'x402.unknown-outcome',
  'an execute with a sent fee and a silent RPC never says money_moved no',
  async () => {
    const agent = await openPayer(on.rail)
    const { payout_id } = await on.rail.authorized(agent)
    const payment = await signPayment(on.rail, agent)
    const body = { payout_id, idempotency_key: 'execute' }
    const call = () => send(on.rail, agent, 'payout-execute', body, paymentHeader(payment))
    on.wire.fail(silentAfterBroadcast())
    const { result, earned } = await earnings(on.rail, async () => {
      const notified = [await call(), await call()]
      on.wire.mend()
      return [...notified, await eventually(call, ({ status }) => status === 200)]
    })
    expect(result[0]).toMatchObject(pending)
    expect(result[1]).toMatchObject({ status: 503, body: { money_moved: 'unknown' } })
    expect([result[2]?.status, earned]).toEqual([200, 100_000n])
  },
)

verifies(
  'x402.unknown-outcome',
  'a payment is refused with 503 while the chain is down',
  async () => {
    const { agent, payment, call } = await newCreate()
    on.wire.fail(down)
    const { status, body } = await call()
    expect([status, body['code'], body['money_moved']]).toEqual([503, 'unavailable', 'no'])
    expect([await storedPayment(on.rail, payment), await callsOf(on.rail, agent)]).toEqual([
      undefined,
      [],
    ])
    on.wire.mend()
    const { result, earned } = await earnings(on.rail, call)
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'x402.process-killed',
  'the API killed between claim and effect charges its retry once',
  async () => {
    const { agent, payment, call } = await newCreate()
    const { result, earned } = await earnings(on.rail, async () => {
      await whileFrozen(on.stack.worker(), async () => {
        const lost = call().catch(() => 'lost')
        await eventually(
          () => callState(agent),
          (row) => row?.grant_state === 'open',
          5_000,
          20,
        )
        await on.stack.api().kill('SIGKILL')
        expect(await lost).toBe('lost')
        expect(await callState(agent)).toMatchObject({
          grant_state: 'open',
          answer_state: 'open',
          funding: 'payment',
        })
      })
      await restart(on.stack.api())
      return answered(call)
    })
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'x402.process-killed',
  'the API killed between effect and settlement charges its retry once',
  async () => {
    const { agent, payment, call } = await newCreate()
    on.wire.fail(losesTransactions)
    const { result, earned } = await earnings(on.rail, async () => {
      const lost = call().catch(() => 'lost')
      await eventually(
        () => callState(agent),
        (row) => row?.answer_state === 'done',
        5_000,
        20,
      )
      await on.stack.api().kill('SIGKILL')
      expect(await lost).toBe('lost')
      expect(await callState(agent)).toMatchObject({ grant_state: 'used', answer_state: 'done' })
      on.wire.mend()
      await restart(on.stack.api())
      return answered(() => call({}))
    })
    expect(result.status).toBe(201)
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies(
  'charge.late-effect',
  'a paid create that timed out is charged once when its effect runs',
  async () => {
    const { agent, payment, call } = await newCreate()
    const { result, earned } = await earnings(on.rail, async () => {
      const notified = await whileFrozen(on.stack.worker(), () => call())
      await eventually(
        () => storedPayment(on.rail, payment),
        (row) => row?.state === 'settled',
      )
      return [notified, await call({}), await call()]
    })
    expect(result[0]).toMatchObject({ status: 503, body: { retryable: true } })
    expect(result.slice(1).map(({ status, body }) => [status, body])).toEqual([
      [201, result[2]?.body],
      [201, result[1]?.body],
    ])
    await expectChargedOnce(agent, payment, earned)
  },
)

verifies('charge.late-effect', 'free creates that timed out use one free call each', async () => {
  const agent = await on.rail.openAgent()
  const terms = [on.rail.terms(), on.rail.terms(), on.rail.terms()]
  const createAll = () =>
    Promise.all(terms.map((each) => send(on.rail, agent, 'payout-create', each)))
  const notified = await whileFrozen(on.stack.worker(), createAll)
  await eventually(
    () => payoutsOf(on.rail, agent),
    (count) => count === 3,
  )
  const retried = await createAll()
  expect([notified.map(({ status }) => status), retried.map(({ status }) => status)]).toEqual([
    [503, 503, 503],
    [201, 201, 201],
  ])
  expect(
    (await callsOf(on.rail, agent)).map(({ funding, grant_state }) => [funding, grant_state]),
  ).toEqual(Array(3).fill(['free', 'used']))
})
