import { sql } from 'kysely'
import { expect } from 'vitest'
import { type Agent, eventually, nowSeconds, type RawAnswer } from '../../support/agent.ts'
import { whileFrozen } from '../../support/faults.ts'
import {
  answered,
  faultyRail,
  paymentIdOf,
  payoutsOf,
  storedPayment,
} from '../../support/faulty-rail.ts'
import {
  callsOf,
  earnings,
  emptyWallet,
  openPayer,
  paymentHeader,
  send,
  signPayment,
  termsOf,
} from '../../support/payments.ts'
import { beforeBroadcast, losesTransactions } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'

const on = faultyRail({ CALL_LEASE_MS: '2000', X402_MIN_REMAINING_S: '3' })

const payBy = async (payer: Agent) => paymentHeader(await signPayment(on.rail, payer))

/** A create of an agent that pays with another wallet, by an authorization that ends soon (the library refuses under 6 s). */
async function shortLivedCreate(seconds: number) {
  const [agent, payer, friend] = [
    await openPayer(on.rail, 0n),
    await openPayer(on.rail),
    await openPayer(on.rail),
  ]
  const terms = on.rail.terms()
  const payment = await signPayment(on.rail, payer, { validBefore: String(nowSeconds() + seconds) })
  const call = (headers: Record<string, string> = {}) =>
    send(on.rail, agent, 'payout-create', terms, headers)
  const debt = { payment_id: paymentIdOf(on.rail, payment), operation: 'payout-create' }
  return {
    agent,
    payer,
    friend,
    terms,
    payment,
    call,
    owed: { status: 402, body: { debt, accepts: [termsOf(on.rail)], money_moved: 'no' } },
  }
}

/** Pays a debt and expects the answer of the one effect that there was. */
async function expectReleased(
  call: (headers: Record<string, string>) => Promise<RawAnswer>,
  agent: Agent,
  friend: Agent,
) {
  const paid = await call(await payBy(friend))
  expect(paid).toMatchObject({ status: 201, body: { payout: { state: 'created' } } })
  expect((paid.body['receipts'] as string[]).length).toBe(1)
  const replay = await call({})
  expect([replay.status, replay.headers.get('idempotent-replayed'), replay.body]).toEqual([
    201,
    'true',
    paid.body,
  ])
  expect(await payoutsOf(on.rail, agent)).toBe(1)
}

verifies(
  ['x402.empty-payer', 'x402.debt', 'x402.unsettled-stops-payout'],
  'a payer who empties the wallet gets no answer until the debt is paid',
  async () => {
    const { agent, payer, friend, terms, payment, call, owed } = await shortLivedCreate(10)
    const status = async () => {
      const answer = await send(
        on.rail,
        agent,
        'payout-status',
        { idempotency_key: terms.idempotency_key },
        await payBy(friend),
      )
      return answer
    }
    const { earned } = await earnings(on.rail, async () => {
      on.wire.fail(beforeBroadcast(() => emptyWallet(on.rail, payer)))
      const notified = await call(paymentHeader(payment))
      on.wire.mend()
      expect(notified).toMatchObject({
        status: 503,
        body: { code: 'settlement_pending', money_moved: 'unknown' },
      })
      expect(notified.body['payout']).toBeUndefined()

      const known = await status()
      expect(known).toMatchObject({ status: 200, body: { payout: { state: 'created' } } })
      const terms = { expiresAt: nowSeconds() + 3600, idempotencyKey: 'authorize' }
      const authorization = await on.rail.treasury.authorize(known.body['payout'] as never, terms)
      const fee = await payBy(friend)
      const authorize = () => send(on.rail, agent, 'payout-authorize', authorization, fee)
      expect(await authorize()).toMatchObject({ status: 503, body: { code: 'settlement_pending' } })

      expect(await answered(() => call())).toMatchObject(owed)
      expect(await storedPayment(on.rail, payment)).toMatchObject({ state: 'failed' })
      expect(await call(paymentHeader(payment))).toMatchObject(owed)
      expect(
        await send(on.rail, agent, 'payout-create', on.rail.terms(), await payBy(friend)),
      ).toMatchObject(owed)
      expect((await status()).status).toBe(200)
      await expectReleased(call, agent, friend)
      expect(await authorize()).toMatchObject({
        status: 200,
        body: { payout: { state: 'authorized' } },
      })
    })
    expect([earned, await on.rail.balance(friend.address)]).toEqual([400_000n, 600_000n])
  },
)

verifies(
  ['x402.debt', 'x402.remaining-life'],
  'a payment that expires during its call leaves a debt to be paid',
  async () => {
    const { agent, payer, friend, payment, call, owed } = await shortLivedCreate(8)
    const { earned } = await earnings(on.rail, async () => {
      await whileFrozen(on.stack.worker(), async () => {
        expect(await call(paymentHeader(payment))).toMatchObject({ status: 503 })
        const ended = BigInt(payment.payload.authorization.validBefore)
        await eventually(
          () => on.rail.chain.getBlock(),
          ({ timestamp }) => timestamp > ended,
        )
      })
      expect(await answered(() => call())).toMatchObject(owed)
      expect([await payoutsOf(on.rail, agent), await on.rail.balance(payer.address)]).toEqual([
        1,
        1_000_000n,
      ])
      await expectReleased(call, agent, friend)
    })
    expect(earned).toBe(100_000n)
  },
)

verifies(
  'charge.grant-or-release',
  'a grant given up during its effect is either used or released',
  async () => {
    const agent = await on.rail.openAgent()
    const terms = Array.from({ length: 6 }, () => on.rail.terms())
    const createAll = () =>
      Promise.all(terms.map((each) => answered(() => send(on.rail, agent, 'payout-create', each))))
    await whileFrozen(on.stack.worker(), async () => {
      const notified = await Promise.all(
        terms.map((each) => send(on.rail, agent, 'payout-create', each)),
      )
      expect(notified.map(({ status }) => status)).toEqual(Array(6).fill(503))
      // The sweeper finds them overdue in the same moment in which their updates reach the worker.
      await on.rail.db
        .updateTable('calls')
        .set({ granted_at: sql<Date>`clock_timestamp() - interval '1 hour'`, lease_until: null })
        .where('caller', '=', `wallet:${agent.address}`)
        .execute()
    })
    await eventually(
      () => callsOf(on.rail, agent),
      (rows) => rows.every(({ grant_state }) => grant_state !== 'open'),
    )
    const used = await callsOf(on.rail, agent)
    expect(await payoutsOf(on.rail, agent)).toBe(used.length)
    expect((await createAll()).map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(
      (await callsOf(on.rail, agent)).map(({ funding, grant_state }) => [funding, grant_state]),
    ).toEqual(Array(6).fill(['free', 'used']))
    expect(await payoutsOf(on.rail, agent)).toBe(6)
  },
)

verifies(
  'x402.credit',
  'an execute over the daily cap leaves one credit for the next call',
  async () => {
    const agent = await on.rail.openAgent({ tokens: 1_000_000n })
    const payout = await on.rail.authorized(agent)
    await on.rail.useUpFreeCalls(agent.address)
    const rivals = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const rival = await on.rail.openAgent()
        const { payout_id } = await on.rail.authorized(rival, { amount_usdc: '25' })
        return () => rival.client.call('payout-execute', { payout_id, idempotency_key: 'x' })
      }),
    )
    const payment = await signPayment(on.rail, agent)
    const execute = () =>
      send(
        on.rail,
        agent,
        'payout-execute',
        { payout_id: payout.payout_id, idempotency_key: 'x' },
        paymentHeader(payment),
      )
    const { result, earned } = await earnings(on.rail, async () => {
      on.wire.fail(losesTransactions)
      const answer = answered(execute)
      await eventually(
        () => storedPayment(on.rail, payment),
        (row) => row !== undefined && row.state !== 'claimed',
        5_000,
        20,
      )
      const taken = rivals.map((take) => take())
      const reserved = await eventually(
        () => on.rail.db.selectFrom('transfers').select('payout_id').execute(),
        (rows) => rows.length === 4,
        5_000,
        20,
      )
      expect(reserved).toHaveLength(4)
      on.wire.mend()
      await Promise.all(taken)
      return answer
    })
    expect(result).toMatchObject({ status: 409, body: { code: 'daily_cap_exceeded' } })
    const settled = await eventually(
      () => storedPayment(on.rail, payment),
      (row) => row?.state === 'settled',
    )
    expect([earned, settled]).toMatchObject([100_000n, { state: 'settled', credit: 'available' }])
    const next = await earnings(on.rail, async () => [
      await send(on.rail, agent, 'payout-create', on.rail.terms()),
      await send(on.rail, agent, 'payout-create', on.rail.terms()),
    ])
    expect([next.result.map(({ status }) => status), next.earned]).toEqual([[201, 402], 0n])
    expect(await storedPayment(on.rail, payment)).toMatchObject({
      state: 'settled',
      credit: 'used',
    })
    expect(await on.rail.balance(agent.address)).toBe(900_000n)
  },
)
