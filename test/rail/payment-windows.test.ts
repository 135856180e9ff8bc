import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { paymentId } from '../../workflows/domain/ids.ts'
import { eventually, nowSeconds, openRail, post, proofOf, type Rail } from '../support/agent.ts'
import { earnings, openPayer, type Payment, paymentHeader, send, signPayment } from '../support/payments.ts'
import { type FaultyWire, losesTransactions, startFaultyWire } from '../support/rpc-proxy.ts'
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
  rail.db
    .selectFrom('payments')
    .select(['state', 'credit', 'valid_before'])
    .where('payment_id', '=', idOf(payment))
    .executeTakeFirst()
const pending = { status: 503, body: { code: 'settlement_pending' } }

verifies(
  'payments.windows',
  'a nonce that was signed twice is settled by the newest signature, and does not fail when the first window is over',
  async () => {
    const payer = await openPayer(rail)
    const { payout_id } = await rail.create(await rail.openAgent({ tokens: 0n }))
    const shortEnd = nowSeconds() + 12
    const first = await signPayment(rail, payer, { validBefore: String(shortEnd) })
    const refused = await send(
      rail,
      payer,
      'payout-execute',
      { payout_id, idempotency_key: 'not-mine' },
      paymentHeader(first),
    )
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(await storedPayment(first)).toMatchObject({ state: 'released', valid_before: String(shortEnd) })

    const { nonce } = first.payload.authorization
    const second = await signPayment(rail, payer, { nonce })
    const terms = rail.terms()
    const call = () => send(rail, payer, 'payout-create', terms, paymentHeader(second))
    const { earned } = await earnings(rail, async () => {
      wire.fail(losesTransactions)
      expect(await call()).toMatchObject(pending)
      await sleep((shortEnd - nowSeconds() + 3) * 1000)
      await rail.chain.mine({ blocks: 70 })
      await sleep(2_000)
      const { validBefore } = second.payload.authorization
      expect((await storedPayment(second))?.state).toMatch(/settling|pending/)
      expect((await storedPayment(second))?.valid_before).toBe(validBefore)
      wire.mend()
      const done = await eventually(call, ({ status }) => status === 201)
      expect(done).toMatchObject({ status: 201, body: { payout: { state: 'created' } } })
    })
    expect(earned).toBe(100_000n)
    const kept = await rail.db
      .selectFrom('payment_signatures')
      .select('valid_before')
      .where('payment_id', '=', idOf(first))
      .orderBy('valid_before')
      .execute()
    expect(kept.map(({ valid_before }) => Number(valid_before))).toEqual([
      shortEnd,
      Number(second.payload.authorization.validBefore),
    ])
    const rewrite = sql`update payment_signatures set valid_before = 0 where payment_id = ${idOf(first)}`
    await expect(rewrite.execute(rail.db)).rejects.toThrow(/stays as it was seen/)
  },
  120_000,
)

verifies(
  'payments.undelivered',
  'a paid read whose proof grew too old while its fee settled is one call credit, once',
  async () => {
    const agent = await rail.openAgent({ tokens: 1_000_000n })
    const { payout_id } = await rail.create(agent)
    await rail.useUpFreeCalls(agent.address)
    const payment = await signPayment(rail, agent)
    const body = { payout_id }
    const path = '/api/payout-status'
    const proof = await proofOf(agent.account, stack.baseUrls[0] as string, path, body, nowSeconds() - 292)
    const old = () => post(agent.baseUrl + path, body, { ...proof, ...paymentHeader(payment) })
    const anew = () => send(rail, agent, 'payout-status', body)
    const { earned } = await earnings(rail, async () => {
      wire.fail(losesTransactions)
      expect(await old()).toMatchObject(pending)
      await sleep(9_000)
      wire.mend()
      expect(await old()).toMatchObject({ status: 401, body: { code: 'wallet_proof_expired' } })
      const settled = await eventually(
        () => storedPayment(payment),
        (row) => row?.state === 'settled',
      )
      expect(settled).toMatchObject({ state: 'settled', credit: 'none' })
      expect(await anew()).toMatchObject({ status: 402 })
      await rail.db
        .updateTable('calls')
        .set({ granted_at: sql<Date>`granted_at - interval '331 seconds'` })
        .where('payment_id', '=', idOf(payment))
        .execute()
      const told = await Promise.all(Array.from({ length: 4 }, anew))
      expect(told.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402])
      expect(told.find(({ status }) => status === 200)?.body).toMatchObject({ payout: { payout_id } })
      expect(await storedPayment(payment)).toMatchObject({ state: 'settled', credit: 'used' })
      expect(await anew()).toMatchObject({ status: 402 })
    })
    expect(earned).toBe(100_000n)
  },
  120_000,
)
