import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { eventually, nowSeconds, post, proofOf } from '../../support/agent.ts'
import { faultyRail, paymentIdOf, storedPayment } from '../../support/faulty-rail.ts'
import {
  earnings,
  emptyWallet,
  openPayer,
  paymentHeader,
  send,
  signPayment,
} from '../../support/payments.ts'
import { beforeBroadcast, losesTransactions } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'

const on = faultyRail({ X402_MIN_REMAINING_S: '3' })

const pending = { status: 503, body: { code: 'settlement_pending' } }

verifies(
  'payments.windows',
  'a nonce signed twice is settled by its newest signature',
  async () => {
    const payer = await openPayer(on.rail)
    const { payout_id } = await on.rail.create(await on.rail.openAgent({ tokens: 0n }))
    const shortEnd = nowSeconds() + 12
    const first = await signPayment(on.rail, payer, { validBefore: String(shortEnd) })
    const refused = await send(
      on.rail,
      payer,
      'payout-execute',
      { payout_id, idempotency_key: 'not-mine' },
      paymentHeader(first),
    )
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(await storedPayment(on.rail, first)).toMatchObject({
      state: 'released',
      valid_before: String(shortEnd),
    })

    const { nonce } = first.payload.authorization
    const second = await signPayment(on.rail, payer, { nonce })
    const terms = on.rail.terms()
    const call = () => send(on.rail, payer, 'payout-create', terms, paymentHeader(second))
    const { earned } = await earnings(on.rail, async () => {
      on.wire.fail(losesTransactions)
      expect(await call()).toMatchObject(pending)
      await sleep((shortEnd - nowSeconds() + 3) * 1000)
      await on.rail.chain.mine({ blocks: 70 })
      await sleep(2_000)
      const { validBefore } = second.payload.authorization
      expect((await storedPayment(on.rail, second))?.state).toMatch(/settling|pending/)
      expect((await storedPayment(on.rail, second))?.valid_before).toBe(validBefore)
      on.wire.mend()
      const done = await eventually(call, ({ status }) => status === 201)
      expect(done).toMatchObject({ status: 201, body: { payout: { state: 'created' } } })
    })
    expect(earned).toBe(100_000n)
    const kept = await on.rail.db
      .selectFrom('payment_signatures')
      .select('valid_before')
      .where('payment_id', '=', paymentIdOf(on.rail, first))
      .orderBy('valid_before')
      .execute()
    expect(kept.map(({ valid_before }) => Number(valid_before))).toEqual([
      shortEnd,
      Number(second.payload.authorization.validBefore),
    ])
    const rewrite = sql`update payment_signatures set valid_before = 0 where payment_id = ${paymentIdOf(on.rail, first)}`
    await expect(rewrite.execute(on.rail.db)).rejects.toThrow(/stays as it was seen/)
  },
)

verifies(
  'payments.undelivered',
  'a paid read whose proof expired while its fee settled is one credit',
  async () => {
    const agent = await on.rail.openAgent({ tokens: 1_000_000n })
    const { payout_id } = await on.rail.create(agent)
    await on.rail.useUpFreeCalls(agent.address)
    const payment = await signPayment(on.rail, agent)
    const body = { payout_id }
    const path = '/api/payout-status'
    const proof = await proofOf(
      agent.account,
      on.stack.baseUrls[0] as string,
      path,
      body,
      nowSeconds() - 292,
    )
    const old = () => post(agent.baseUrl + path, body, { ...proof, ...paymentHeader(payment) })
    const again = () => send(on.rail, agent, 'payout-status', body)
    const { earned } = await earnings(on.rail, async () => {
      on.wire.fail(losesTransactions)
      expect(await old()).toMatchObject(pending)
      await sleep(9_000)
      on.wire.mend()
      expect(await old()).toMatchObject({ status: 401, body: { code: 'wallet_proof_expired' } })
      const settled = await eventually(
        () => storedPayment(on.rail, payment),
        (row) => row?.state === 'settled',
      )
      expect(settled).toMatchObject({ state: 'settled', credit: 'none' })
      expect(await again()).toMatchObject({ status: 402 })
      await on.rail.db
        .updateTable('calls')
        .set({ granted_at: sql<Date>`granted_at - interval '331 seconds'` })
        .where('payment_id', '=', paymentIdOf(on.rail, payment))
        .execute()
      const notified = await Promise.all(Array.from({ length: 4 }, again))
      expect(notified.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402])
      expect(notified.find(({ status }) => status === 200)?.body).toMatchObject({
        payout: { payout_id },
      })
      expect(await storedPayment(on.rail, payment)).toMatchObject({
        state: 'settled',
        credit: 'used',
      })
      expect(await again()).toMatchObject({ status: 402 })
    })
    expect(earned).toBe(100_000n)
  },
)

verifies(
  'x402.unpaid-read',
  'a read whose payment failed gives no answer and leaves no debt',
  async () => {
    const agent = await on.rail.openAgent()
    const [payer, friend] = [await openPayer(on.rail), await openPayer(on.rail)]
    const { payout_id } = await on.rail.create(agent)
    await on.rail.useUpFreeCalls(agent.address)
    const payment = await signPayment(on.rail, payer, { validBefore: String(nowSeconds() + 8) })
    const read = (headers: Record<string, string>) =>
      send(on.rail, agent, 'payout-status', { payout_id }, headers)
    const { earned } = await earnings(on.rail, async () => {
      on.wire.fail(beforeBroadcast(() => emptyWallet(on.rail, payer)))
      const notified = await read(paymentHeader(payment))
      on.wire.mend()
      expect(notified).toMatchObject(pending)
      expect(notified.body['payout']).toBeUndefined()
      const failed = await eventually(
        () => storedPayment(on.rail, payment),
        (row) => row?.state === 'failed',
      )
      expect(failed).toMatchObject({ state: 'failed', credit: 'none' })
      const paying = async () => paymentHeader(await signPayment(on.rail, friend))
      const offered = await read({})
      expect([offered.status, offered.body['debt']]).toEqual([402, undefined])
      expect(await read(paymentHeader(payment))).toMatchObject({
        status: 409,
        body: { code: 'payment_already_used' },
      })
      expect(
        (await send(on.rail, agent, 'payout-create', on.rail.terms(), await paying())).status,
      ).toBe(201)
      expect(await read(await paying())).toMatchObject({
        status: 200,
        body: { payout: { payout_id } },
      })
    })
    expect(earned).toBe(200_000n)
  },
)
