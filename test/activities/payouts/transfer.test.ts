import { randomUUID } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import type { Outcome } from '../../../activities/chain/outcome.ts'
import { receiptSigner } from '../../../activities/container.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { addPayoutCallback } from '../../../activities/payouts/callbacks.ts'
import type { Deps, Signer } from '../../../activities/payouts/deps.ts'
import { createMinimumBalance } from '../../../activities/payouts/minimum-balance.ts'
import { createPayoutSteps } from '../../../activities/payouts/payout.ts'
import { createSigningSteps, createTransferSteps } from '../../../activities/payouts/transfer.ts'
import { findCall } from '../../../activities/store/calls/calls.ts'
import { grantCall } from '../../../activities/store/calls/grants.ts'
import { setPayoutCallback } from '../../../activities/store/payouts/payout-callbacks.ts'
import { findTransfer, type PayoutRow } from '../../../activities/store/payouts/payouts.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import type { PayoutSnapshot } from '../../../workflows/payouts/activities.ts'
import { bindWallet, setControls } from '../../support/account-controls.ts'
import { proofOf } from '../../support/agent.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { finalizedBlock, newWallet, type TestWallet } from '../../support/chain.ts'
import { dailyUse, insertAuthorizedPayout } from '../../support/payout-rows.ts'
import { lockWaits, startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { within } from '../../support/slowness.ts'
import { verifies } from '../../verifies.ts'

/** Real Postgres and receipts under the real steps; only the chain is a fake, for outcomes that no healthy chain shows. */
let database: TestDatabase
let proven: Outcome = { kind: 'unknown', code: 'open', reason: 'not asked yet' }
let submitted = 0
let deps: Deps
const asset = `0x${'1'.repeat(40)}` as const
const origin = 'https://svc.example'
const activity = new MockActivityEnvironment()

beforeAll(async () => {
  database = await startDatabase()
  const keys = keyRings(generateSigningKeys(new Date()))
  await publishKeys(database.db, keys)
  const rail = {
    asset,
    environment: 'local',
    issuer: 'https://svc.example/api/trust-contract',
    createdLifeMs: 1000,
    executeLifeSecondsMin: 30,
    confirmWindowMs: 1,
    transferGas: 1n,
  } as const
  deps = {
    db: database.db,
    log: pino({ level: 'silent' }),
    rail: { ...rail, payoutWallet: `0x${'2'.repeat(40)}` },
    signReceipt: receiptSigner(keys),
    authority: { origin } as Deps['authority'],
    minimumBalance: {
      isSet: false,
      read: async () => undefined,
      assertAbove: async () => undefined,
      headroom: async () => 0n,
    },
    canary: undefined,
    chain: { head: async () => 100n, news: async () => undefined },
    preflight: async () => ({ kind: 'ready' }),
    findOutcome: async () => proven,
    startCallback: async () => undefined,
    gasWalletQueue: {
      submit: async () => ({ txHash: `0x${String(++submitted).padStart(64, '0')}` as const }),
      maintain: async () => undefined,
    },
  }
})
afterAll(async () => {
  await database?.stop()
})

const hex = (digits: number) => (randomUUID() + randomUUID()).replaceAll('-', '').slice(0, digits)
const included = (block: string): Outcome => ({
  kind: 'included',
  transactionHash: `0x${hex(64)}`,
  blockNumber: 7n,
  blockHash: `0x${block.repeat(64)}`,
  blockTime: BigInt(Math.floor(Date.now() / 1000)),
  confirmations: 1,
  finalized: false,
})

type Granted = { payoutId: string; creator: string; callId: string; account: TestWallet['account'] }

/** An authorized payout of its own wallet, with a granted execute call of its creator. */
async function authorizedPayout(expiresIn = 3600, wallet = `0x${hex(40)}`) {
  const payoutId = `po_${hex(64)}`
  const { account, address: creator } = newWallet()
  const callId = `call_${payoutId}`
  const payout = {
    payout_id: payoutId,
    creator,
    idempotency_key: 'k',
    recipient: `0x${hex(40)}`,
    amount_atomic: '5000000',
    memo: 'm',
    rail_reference: 'r',
    usage: 'synthetic' as const,
    asset,
    payout_wallet: wallet,
    terms_sha256: hex(64),
  }
  await insertAuthorizedPayout(database.db, payout, Math.floor(Date.now() / 1000) + expiresIn)
  const granted = { payoutId, creator, wallet, callId, account }
  await grantExecute(granted)
  return granted
}

async function grantExecute({ payoutId, creator, callId, account }: Granted): Promise<void> {
  const body = { payout_id: payoutId, idempotency_key: 'execute' }
  const { 'X-Service-Wallet-Proof': proof } = await proofOf(
    account,
    origin,
    '/api/payout-execute',
    body,
  )
  const call = {
    callId,
    caller: `wallet:${creator}`,
    operation: 'payout-execute',
    key: payoutId,
    fingerprint: 'f',
    path: '/api/payout-execute',
    proof: null,
  }
  await transaction(database.db, (tx, atCommit) =>
    grantCall(
      tx,
      atCommit,
      call,
      { kind: 'free' },
      { lease: { holder: 'test', ms: 10_000 }, input: { ...body, proof } },
    ),
  )
}

type Step = { payoutId: string; callId: string }
/** What a step answers, with the refusal that it stored for its caller. */
const reserve = async (of: Step, steps = createPayoutSteps(deps)) => {
  const result = await steps.reserveTransfer(of)
  if (result.ok) return result
  return { ...result, refusal: (await findCall(database.db, of.callId))?.refusal }
}
const signer = (byte: string): Signer => ({
  dailyCapAtomic: 100_000_000n,
  sign: async () => ({ signature: `0x${byte.repeat(65)}` }),
})
const sign = (payoutId: string, byte = 'ab') =>
  createSigningSteps(deps, signer(byte)).signTransfer(payoutId)
const submit = (payoutId: string): Promise<PayoutSnapshot> =>
  activity.run(createTransferSteps(deps).submitTransfer, payoutId)
const confirm = (payoutId: string): Promise<PayoutSnapshot> =>
  activity.run(createTransferSteps(deps).confirmTransfer, payoutId)

async function sent() {
  const payout = await authorizedPayout()
  expect(await reserve(payout)).toMatchObject({ ok: true })
  await sign(payout.payoutId)
  expect(await submit(payout.payoutId)).toMatchObject({ transfer: 'submitted' })
  return payout
}

const kinds = async (payoutId: string) =>
  (await listReceipts(database.db, payoutId)).map((row) => row.kind)

verifies(
  'execute.nonce-conflict',
  'a nonce used without our transfer is an exception that keeps the cap',
  async () => {
    const { payoutId, wallet } = await sent()
    proven = {
      kind: 'conflict',
      detail: 'used otherwise',
      transactionHash: `0x${'9'.repeat(64)}`,
      finalized: true,
      finalizedBlock,
    }
    expect(await confirm(payoutId)).toMatchObject({
      state: 'authorized',
      transfer: 'submitted',
      exception: 'nonce_conflict',
    })
    expect((await dailyUse(database.db, wallet)).atomic).toBe(5_000_000n)
    expect(await kinds(payoutId)).toEqual([])
  },
)

verifies(
  'execute.nonce-conflict',
  'a foreign nonce use that vanishes is undone, and the transfer is paid',
  async () => {
    const { payoutId } = await sent()
    proven = {
      kind: 'conflict',
      detail: 'used otherwise',
      transactionHash: `0x${'9'.repeat(64)}`,
      finalized: false,
      finalizedBlock,
    }
    expect(await confirm(payoutId)).toMatchObject({ transfer: 'submitted', exception: null })
    proven = included('a')
    expect(await confirm(payoutId)).toMatchObject({
      state: 'executed',
      transfer: 'included',
      exception: null,
    })
  },
)

verifies(
  'execute.voided',
  'executed, then vanished and expired: voided, cap released, alert sent',
  async () => {
    const { payoutId, wallet, callId } = await sent()
    proven = included('a')
    expect(await confirm(payoutId)).toMatchObject({ state: 'executed', transfer: 'included' })
    expect(await findCall(database.db, callId)).toMatchObject({
      answer_state: 'final',
      status: 200,
    })
    proven = { kind: 'unknown', code: 'unused', reason: 'gone' }
    expect(await confirm(payoutId)).toMatchObject({ state: 'executed', transfer: 'submitted' })
    proven = { kind: 'dead', reason: 'expired', finalizedBlock }
    expect(await confirm(payoutId)).toMatchObject({
      transfer: 'dead',
      exception: 'voided: expired',
    })
    expect(await kinds(payoutId)).toEqual(['payout_executed', 'payout_voided'])
    expect((await dailyUse(database.db, wallet)).atomic).toBe(0n)
  },
)

verifies(
  'execute.dead',
  'expired without payment: dead, cap released, free call returned',
  async () => {
    const payout = await sent()
    const { payoutId, wallet, callId } = payout
    proven = { kind: 'dead', reason: 'expired', finalizedBlock }
    expect(await confirm(payoutId)).toMatchObject({
      state: 'authorized',
      transfer: 'dead',
      exception: null,
    })
    expect(await kinds(payoutId)).toEqual(['payout_dead'])
    expect((await dailyUse(database.db, wallet)).atomic).toBe(0n)
    expect(await findCall(database.db, callId)).toMatchObject({ grant_state: 'released' })
    // A repeated request is granted again and answered before the grant is used.
    await grantExecute(payout)
    expect(await reserve({ payoutId, callId })).toMatchObject({
      ok: false,
      refusal: { code: 'payout_expired' },
    })
    expect(await findCall(database.db, callId)).toMatchObject({ grant_state: 'open' })
  },
)

verifies(
  ['execute.parked', 'operate.recover'],
  'a parked transfer is checked once, so a wake sends it at once',
  async () => {
    const { payoutId, ...payout } = await authorizedPayout()
    await reserve({ payoutId, ...payout })
    await sign(payoutId)
    proven = { kind: 'unknown', code: 'unused', reason: 'unused so far' }
    const waiting = createTransferSteps({
      ...deps,
      rail: { ...deps.rail, confirmWindowMs: 30_000 },
      preflight: async () => ({ kind: 'parked', reason: 'the token is paused', unblock: 'wait' }),
    })
    expect(await waiting.submitTransfer(payoutId)).toMatchObject({
      transfer: 'signed',
      parked: expect.any(String),
    })
    const begun = performance.now()
    await activity.run(waiting.confirmTransfer, payoutId)
    expect(performance.now() - begun).toBeLessThan(within(5_000))
    expect(await submit(payoutId)).toMatchObject({ transfer: 'submitted', parked: null })
  },
)

verifies(
  'execute.reorg',
  'without proof an executed payout stays; a moved block is recorded',
  async () => {
    const { payoutId } = await sent()
    proven = included('b')
    await confirm(payoutId)
    proven = { kind: 'unknown', code: 'open', reason: 'a node did not answer' }
    expect(await confirm(payoutId)).toMatchObject({ state: 'executed', transfer: 'included' })
    proven = included('c')
    const moved = await confirm(payoutId)
    expect(moved).toMatchObject({
      state: 'executed',
      transfer: 'included',
      transactionHash: proven.kind === 'included' ? proven.transactionHash : '',
    })
    proven = { ...included('c'), finalized: true } as Outcome
    expect(await confirm(payoutId)).toMatchObject({ transfer: 'final' })
    expect(await kinds(payoutId)).toEqual(['payout_executed', 'payout_final'])
  },
)

verifies(
  'execute.paused',
  'a payout paused by an operator is reserved only after the pause',
  async () => {
    for (const scope of ['service', 'payouts', 'wallet', 'payout'] as const) {
      const payout = await authorizedPayout()
      const targets = { service: '', payouts: '', wallet: payout.creator, payout: payout.payoutId }
      await database.db
        .insertInto('controls')
        .values({
          scope,
          target: targets[scope],
          paused: true,
          reason: 'audit',
          operator_id: 'op_1',
        })
        .execute()
      expect(await reserve(payout)).toMatchObject({ ok: false, refusal: { code: 'paused' } })
      expect(
        await database.db
          .selectFrom('transfers')
          .selectAll()
          .where('payout_id', '=', payout.payoutId)
          .execute(),
      ).toEqual([])
      await database.db.deleteFrom('controls').execute()
      expect(await reserve(payout)).toMatchObject({ ok: true })
    }
  },
)

verifies(
  'execute.never-resigned',
  'a second signer and a second reservation change nothing of the first',
  async () => {
    const payout = await authorizedPayout()
    await reserve(payout)
    await sign(payout.payoutId)
    await sign(payout.payoutId, 'cd')
    await reserve(payout)
    const rows = await database.db
      .selectFrom('transfers')
      .select('signature')
      .where('payout_id', '=', payout.payoutId)
      .execute()
    expect(rows).toEqual([{ signature: `0x${'ab'.repeat(65)}` }])
  },
)

verifies(
  'execute.signed-when-reserved',
  'a worker with the key reserves a transfer with the only signature',
  async () => {
    const payout = await authorizedPayout()
    const reserved = { ok: true, snapshot: { transfer: 'signed' } }
    expect(await createPayoutSteps(deps, signer('ab')).reserveTransfer(payout)).toMatchObject(
      reserved,
    )
    expect(await createPayoutSteps(deps, signer('cd')).reserveTransfer(payout)).toMatchObject(
      reserved,
    )
    await sign(payout.payoutId, 'cd')
    expect(await findTransfer(database.db, payout.payoutId)).toMatchObject({
      signature: `0x${'ab'.repeat(65)}`,
    })
    expect(await submit(payout.payoutId)).toMatchObject({ transfer: 'submitted' })
  },
)

verifies(
  'execute.signed-when-reserved',
  'what cannot be signed or is refused is neither reserved nor signed',
  async () => {
    const payout = await authorizedPayout()
    const failing = vi.fn<Signer['sign']>().mockRejectedValue(new Error('no key'))
    const steps = createPayoutSteps(deps, { dailyCapAtomic: 100_000_000n, sign: failing })
    await expect(steps.reserveTransfer(payout)).rejects.toThrow('no key')
    expect(await findTransfer(database.db, payout.payoutId)).toBeUndefined()
    expect(await steps.reserveTransfer(await authorizedPayout(29))).toMatchObject({ ok: false })
    expect(failing).toHaveBeenCalledTimes(1)
    expect(await reserve(payout)).toMatchObject({ ok: true, snapshot: { transfer: 'reserved' } })
  },
)

verifies('execute.expired', 'with 29 seconds of life left nothing is reserved', async () => {
  expect(await reserve(await authorizedPayout(29))).toMatchObject({
    ok: false,
    refusal: { code: 'payout_expired' },
  })
  expect(await reserve(await authorizedPayout(40))).toMatchObject({ ok: true })
})

verifies(
  'x402.unsettled-stops-payout',
  'a payout with an unsettled charge takes no further step',
  async () => {
    const payout = await authorizedPayout()
    const payment = {
      payment_id: hex(64),
      asset,
      payer: `0x${hex(40)}`,
      authorization_nonce: `0x${hex(64)}`,
      pay_to: `0x${hex(40)}`,
      amount_atomic: '100000',
      valid_after: '0',
      valid_before: '9',
      signature: '0x',
      requirements: '{}' as never,
      proof_wallet: payout.creator,
      state: 'settling' as const,
    }
    await database.db.insertInto('payments').values(payment).execute()
    await database.db
      .insertInto('calls')
      .values({
        call_id: `c_${hex(8)}`,
        caller: `wallet:${payout.creator}`,
        operation: 'payout-authorize',
        key: hex(8),
        fingerprint: 'f',
        grant_state: 'used',
        answer_state: 'done',
        funding: 'payment',
        payment_id: payment.payment_id,
        path: '/',
        subject: payout.payoutId,
        status: 200,
        answer: '{}' as never,
      })
      .execute()
    expect(await reserve(payout)).toMatchObject({
      ok: false,
      refusal: { code: 'settlement_pending', money_moved: 'unknown' },
    })
    await sql`update calls set answer_state = 'final' where subject = ${payout.payoutId}`.execute(
      database.db,
    )
    expect(await reserve(payout)).toMatchObject({ ok: true })
  },
)

verifies(
  'minimum-balance.refuses',
  '4 of 8 parallel reservations of 5 from 23 USDC keep a minimum of 3',
  async () => {
    const wallet = `0x${hex(40)}` as const
    const chain = {
      head: async () => 100n,
      reader: { readContract: async () => 23_000_000n } as never,
    }
    const minimumBalance = createMinimumBalance({
      minimumAtomic: 3_000_000n,
      wallet,
      asset,
      chain,
      log: deps.log,
    })
    const payouts = await Promise.all(
      Array.from({ length: 8 }, () => authorizedPayout(3600, wallet)),
    )
    const steps = createPayoutSteps({ ...deps, minimumBalance })
    const results = await Promise.all(payouts.map((payout) => reserve(payout, steps)))
    const refusals = results.flatMap((result) => (result.ok ? [] : [result.refusal]))
    expect(refusals).toHaveLength(4)
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: 'paused', detail: expect.stringContaining('minimum') })
  },
)

verifies('canary.first', 'the reserve transaction itself asks for the canary', async () => {
  const canary = { recipient: `0x${hex(40)}`, amountAtomic: 1n, lifeSeconds: 60 } as const
  const rail = { ...deps.rail, payoutWallet: `0x${hex(40)}` } as const
  const payout = await authorizedPayout()
  const refused = await reserve(payout, createPayoutSteps({ ...deps, rail, canary }))
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'paused' } })
  expect(await reserve(payout)).toMatchObject({ ok: true })
})

verifies('accounts.payout-callbacks', 'a narrowed account ends callbacks of payouts', async () => {
  const { account_id } = await registeredAgent(database.db)
  const issuer = { ...deps.rail, signReceipt: deps.signReceipt }
  const allow = (callback_hosts: string[] | null) =>
    transaction(database.db, (tx) => setControls(issuer, tx, account_id, { callback_hosts }))
  const { creator, payoutId } = await authorizedPayout()
  await setPayoutCallback(database.db, creator, 'https://hooks.example.com/in')
  const notify = (payout_id: string) =>
    transaction(database.db, async (tx) => {
      await addPayoutCallback(tx, { payout_id, creator } as PayoutRow)
      return Number(
        (
          await sql<{ n: number }>`select count(*)::int as n from callback_deliveries
            where owner = ${creator}`.execute(tx)
        ).rows[0]?.n,
      )
    })
  await allow(['other.example.com'])
  expect(await notify(payoutId)).toBe(1)
  await transaction(database.db, (tx) => bindWallet(issuer, tx, account_id, creator))
  expect(await notify(`${payoutId}-2`)).toBe(1)
  await allow(['hooks.example.com'])
  expect(await notify(`${payoutId}-2`)).toBe(2)
})

verifies(
  'callback.payouts-at-once',
  'the step that stores a callback starts its delivery',
  async () => {
    const { creator, payoutId } = await sent()
    await setPayoutCallback(database.db, creator, 'https://hooks.example.com/in')
    proven = included('e')
    const started: string[] = []
    const startCallback = async (id: string) => void started.push(id)
    const { confirmTransfer } = createTransferSteps({ ...deps, startCallback })
    await activity.run(confirmTransfer, payoutId)
    const stored = await database.db
      .selectFrom('callback_deliveries')
      .select('delivery_id')
      .where('subject', '=', payoutId)
      .execute()
    expect(started).toEqual(stored.map(({ delivery_id }) => delivery_id))
    expect(started).toHaveLength(1)
  },
)

verifies('accounts.payouts', 'a bound wallet pays within its account, others freely', async () => {
  const { account_id } = await registeredAgent(database.db)
  const issuer = { ...deps.rail, signReceipt: deps.signReceipt }
  const control = (controls: Parameters<typeof setControls>[3]) =>
    transaction(database.db, (tx) => setControls(issuer, tx, account_id, controls))
  const bound = async () => {
    const payout = await authorizedPayout()
    await transaction(database.db, (tx) => bindWallet(issuer, tx, account_id, payout.creator))
    return payout
  }
  const [first, second, third] = [await bound(), await bound(), await bound()]
  const refused = { ok: false, refusal: { code: 'control_denied' } }
  await control({ paused: true })
  expect(await reserve(first)).toMatchObject(refused)
  expect(await reserve(await authorizedPayout())).toMatchObject({ ok: true })
  await control({ per_run_usd_max: 4 })
  expect(await reserve(first)).toMatchObject(refused)
  await control({ per_day_usd_max: 9 })
  expect(await reserve(first)).toMatchObject({ ok: true })
  expect(await reserve(second)).toMatchObject(refused)
  expect(await findTransfer(database.db, second.payoutId)).toBeUndefined()
  await control({ per_day_usd_max: 10 })
  // A reservation waits for a change that is being committed, and is then judged by it.
  const judged = await transaction(database.db, async (tx) => {
    await setControls(issuer, tx, account_id, { paused: true })
    const reserved = reserve(second)
    await expect.poll(() => lockWaits(database.db)).toBeGreaterThan(0)
    return { reserved }
  })
  expect(await judged.reserved).toMatchObject(refused)
  expect(await reserve(third)).toMatchObject(refused)
})
