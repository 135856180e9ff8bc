import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { paymentId } from '../../workflows/domain/ids.ts'
import { type Agent, eventually, nowSeconds, openRail, type Rail, type RawAnswer } from '../support/agent.ts'
import { whileFrozen } from '../support/faults.ts'
import {
  callsOf,
  earnings,
  emptyWallet,
  openPayer,
  type Payment,
  paymentHeader,
  send,
  signPayment,
  termsOf,
} from '../support/payments.ts'
import { beforeBroadcast, type FaultyWire, losesTransactions, startFaultyWire } from '../support/rpc-proxy.ts'
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
      CALL_LEASE_MS: '2000',
      SWEEP_EVERY_MS: '300',
      SWEEP_GRACE_MS: '20000',
      CONFIRM_WINDOW_MS: '500',
      CHAIN_POLL_MS: '100',
      X402_MIN_REMAINING_S: '3',
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  await wire?.close()
})

const idOf = ({ payload: { authorization } }: Payment) => paymentId(rail.asset, authorization.from, authorization.nonce)
const storedPayment = (payment: Payment) =>
  rail.db.selectFrom('payments').select(['state', 'credit']).where('payment_id', '=', idOf(payment)).executeTakeFirst()
const payoutsOf = async ({ address }: Agent) =>
  (await rail.db.selectFrom('payouts').select('payout_id').where('creator', '=', address).execute()).length
const payBy = async (payer: Agent) => paymentHeader(await signPayment(rail, payer))
const insist = (call: () => Promise<RawAnswer>) =>
  eventually(call, ({ body }) => body['retryable'] !== true, 20_000, 200)

/** A create of an agent that pays with another wallet, by an authorization that ends soon (the library refuses under 6 s). */
async function shortLivedCreate(seconds: number) {
  const [agent, payer, friend] = [await openPayer(rail, 0n), await openPayer(rail), await openPayer(rail)]
  const terms = rail.terms()
  const payment = await signPayment(rail, payer, { validBefore: String(nowSeconds() + seconds) })
  const call = (headers: Record<string, string> = {}) => send(rail, agent, 'payout-create', terms, headers)
  const debt = { payment_id: idOf(payment), operation: 'payout-create' }
  return { agent, payer, friend, terms, payment, call, owed: { status: 402, body: { debt, accepts: [termsOf(rail)] } } }
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
  expect([replay.status, replay.headers.get('idempotent-replayed'), replay.body]).toEqual([201, 'true', paid.body])
  expect(await payoutsOf(agent)).toBe(1)
}

verifies(
  ['x402.empty-payer', 'x402.debt', 'x402.unsettled-stops-payout'],
  'a payer that empties the wallet after verification gets no answer and no further step until somebody pays the debt',
  async () => {
    const { agent, payer, friend, terms, payment, call, owed } = await shortLivedCreate(10)
    const status = async () => {
      const answer = await send(
        rail,
        agent,
        'payout-status',
        { idempotency_key: terms.idempotency_key },
        await payBy(friend),
      )
      return answer
    }
    const { earned } = await earnings(rail, async () => {
      wire.fail(beforeBroadcast(() => emptyWallet(rail, payer)))
      const told = await call(paymentHeader(payment))
      wire.mend()
      expect(told).toMatchObject({ status: 503, body: { code: 'settlement_pending', money_moved: 'unknown' } })
      expect(told.body['payout']).toBeUndefined()

      const known = await status()
      expect(known).toMatchObject({ status: 200, body: { payout: { state: 'created' } } })
      const terms = { expiresAt: nowSeconds() + 3600, idempotencyKey: 'authorize' }
      const authorization = await rail.treasury.authorize(known.body['payout'] as never, terms)
      const fee = await payBy(friend)
      const authorize = () => send(rail, agent, 'payout-authorize', authorization, fee)
      expect(await authorize()).toMatchObject({ status: 503, body: { code: 'settlement_pending' } })

      expect(await insist(() => call())).toMatchObject(owed)
      expect(await storedPayment(payment)).toMatchObject({ state: 'failed' })
      expect(await call(paymentHeader(payment))).toMatchObject(owed)
      expect(await send(rail, agent, 'payout-create', rail.terms(), await payBy(friend))).toMatchObject(owed)
      expect((await status()).status).toBe(200)
      await expectReleased(call, agent, friend)
      expect(await authorize()).toMatchObject({ status: 200, body: { payout: { state: 'authorized' } } })
    })
    expect([earned, await rail.balance(friend.address)]).toEqual([400_000n, 600_000n])
  },
)

verifies(
  ['x402.debt', 'x402.remaining-life'],
  'a payment whose time ends while the call runs leaves a debt; paying it releases the answer of the one effect',
  async () => {
    const { agent, payer, friend, payment, call, owed } = await shortLivedCreate(8)
    const { earned } = await earnings(rail, async () => {
      await whileFrozen(stack.worker(), async () => {
        expect(await call(paymentHeader(payment))).toMatchObject({ status: 503 })
        const ended = BigInt(payment.payload.authorization.validBefore)
        await eventually(
          () => rail.chain.getBlock(),
          ({ timestamp }) => timestamp > ended,
        )
      })
      expect(await insist(() => call())).toMatchObject(owed)
      expect([await payoutsOf(agent), await rail.balance(payer.address)]).toEqual([1, 1_000_000n])
      await expectReleased(call, agent, friend)
    })
    expect(earned).toBe(100_000n)
  },
)

verifies(
  'charge.grant-or-release',
  'a grant that is given up while its effect is under way is either used or released',
  async () => {
    const agent = await rail.openAgent()
    const terms = Array.from({ length: 6 }, () => rail.terms())
    const createAll = () => Promise.all(terms.map((each) => insist(() => send(rail, agent, 'payout-create', each))))
    await whileFrozen(stack.worker(), async () => {
      const told = await Promise.all(terms.map((each) => send(rail, agent, 'payout-create', each)))
      expect(told.map(({ status }) => status)).toEqual(Array(6).fill(503))
      // The sweeper finds them overdue in the same moment in which their updates reach the worker.
      await rail.db
        .updateTable('calls')
        .set({ granted_at: sql<Date>`clock_timestamp() - interval '1 hour'`, lease_until: null })
        .where('caller', '=', `wallet:${agent.address}`)
        .execute()
    })
    await eventually(
      () => callsOf(rail, agent),
      (rows) => rows.every(({ grant_state }) => grant_state !== 'open'),
    )
    const used = await callsOf(rail, agent)
    expect(await payoutsOf(agent)).toBe(used.length)
    expect((await createAll()).map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect((await callsOf(rail, agent)).map(({ funding, grant_state }) => [funding, grant_state])).toEqual(
      Array(6).fill(['free', 'used']),
    )
    expect(await payoutsOf(agent)).toBe(6)
  },
)

verifies(
  'x402.credit',
  'an execute over the daily cap after its fee settled leaves one credit, used by the next call',
  async () => {
    const agent = await rail.openAgent({ tokens: 1_000_000n })
    const payout = await rail.authorized(agent)
    await rail.useUpFreeCalls(agent.address)
    const rivals = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const rival = await rail.openAgent()
        const { payout_id } = await rail.authorized(rival, { amount_usdc: '25' })
        return () => rival.client.call('payout-execute', { payout_id, idempotency_key: 'x' })
      }),
    )
    const payment = await signPayment(rail, agent)
    const execute = () =>
      send(rail, agent, 'payout-execute', { payout_id: payout.payout_id, idempotency_key: 'x' }, paymentHeader(payment))
    const { result, earned } = await earnings(rail, async () => {
      wire.fail(losesTransactions)
      const answer = insist(execute)
      await eventually(
        () => storedPayment(payment),
        (row) => row !== undefined && row.state !== 'claimed',
        5_000,
        20,
      )
      const taken = rivals.map((take) => take())
      const reserved = await eventually(
        () => rail.db.selectFrom('transfers').select('payout_id').execute(),
        (rows) => rows.length === 4,
        5_000,
        20,
      )
      expect(reserved).toHaveLength(4)
      wire.mend()
      await Promise.all(taken)
      return answer
    })
    expect(result).toMatchObject({ status: 409, body: { code: 'daily_cap_exceeded' } })
    expect([earned, await storedPayment(payment)]).toEqual([100_000n, { state: 'settled', credit: 'available' }])
    const next = await earnings(rail, async () => [
      await send(rail, agent, 'payout-create', rail.terms()),
      await send(rail, agent, 'payout-create', rail.terms()),
    ])
    expect([next.result.map(({ status }) => status), next.earned]).toEqual([[201, 402], 0n])
    expect(await storedPayment(payment)).toEqual({ state: 'settled', credit: 'used' })
    expect(await rail.balance(agent.address)).toBe(900_000n)
  },
)
