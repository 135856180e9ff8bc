import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { callId } from '#domain/core/ids.ts'
import {
  answerCall,
  claimGrant,
  findCall,
  lockCall,
  releaseCall,
  requireCall,
} from '../../../../activities/store/calls/calls.ts'
import {
  type CallIdentity,
  type Funding,
  grantCall,
  readStanding,
} from '../../../../activities/store/calls/grants.ts'
import {
  claimPayment,
  findPayment,
  type PaymentClaim,
  recordFailed,
  recordSettled,
  startSettling,
} from '../../../../activities/store/payments/payments.ts'
import { type Tx, transaction } from '../../../../activities/store/postgres/db.ts'
import { finalizedBlock } from '../../../support/chain.ts'
import { lockWaits, startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

function newCall(
  caller = `wallet:0x${randomUUID().replaceAll('-', '').padEnd(40, '0')}`,
  key: string = randomUUID(),
): CallIdentity {
  const nonce = randomUUID().replaceAll('-', '')
  return {
    callId: callId(caller, 'payout-create', key),
    caller,
    operation: 'payout-create',
    key,
    fingerprint: 'f'.repeat(64),
    path: '/api/payout-create',
    proof: { wallet: caller.slice(7), nonce, bodySha256: 'b'.repeat(64) },
  }
}

const granted = { lease: { holder: 'test', ms: 10_000 }, input: undefined }

/** Grants a call on the free tier, or returns false where no free call is left. */
async function grantFree(call: CallIdentity): Promise<boolean> {
  return transaction(database.db, async (tx, atCommit) => {
    if ((await readStanding(tx, call)).freeLeft === 0) return false
    await grantCall(tx, atCommit, call, { kind: 'free' }, granted)
    return true
  })
}

const grant = (call: CallIdentity, funding: Funding) =>
  transaction(database.db, (tx, atCommit) => grantCall(tx, atCommit, call, funding, granted))

/** The effect of a call, in one transaction of its own. */
const answer = (call: CallIdentity, status: number, body: Record<string, unknown>) =>
  transaction(database.db, async (tx) => {
    await claimGrant(tx, call.callId, 'po_1')
    await answerCall(call.callId, 'po_1', status, body).run(tx)
  })

function newPayment(proofWallet: string): PaymentClaim {
  const word = () => (randomUUID() + randomUUID()).replaceAll('-', '')
  const address = () => `0x${word().slice(0, 40)}`
  return {
    paymentId: word(),
    asset: address(),
    payer: address(),
    nonce: `0x${word()}`,
    payTo: address(),
    value: 100_000n,
    validAfter: 0n,
    validBefore: 4_102_444_800n,
    signature: '0x00',
    requirements: {},
    proofWallet,
    fromBlock: 0n,
  }
}

const inclusion = {
  transactionHash: `0x${'1'.repeat(64)}`,
  blockNumber: 5n,
  blockHash: `0x${'2'.repeat(64)}`,
  blockTime: 1_795_248_310n,
}

verifies('free.ten', '50 parallel first calls of a wallet take exactly 10 free slots', async () => {
  const caller = newCall().caller
  const granted = await Promise.all(Array.from({ length: 50 }, () => grantFree(newCall(caller))))
  expect(granted.filter(Boolean)).toHaveLength(10)
})

verifies('proof.replay-other-body', 'a used proof nonce grants no second call', async () => {
  const first = newCall()
  await grantFree(first)
  const second = { ...newCall(first.caller), proof: first.proof }
  await expect(grantFree(second)).rejects.toThrow('wallet_proof_replayed')
  expect(await grantFree(newCall(first.caller))).toBe(true)
})

verifies(
  ['free.failed-call', 'proof.not-burnt'],
  'a released call gives its free slot and its proof nonce back',
  async () => {
    const first = newCall()
    await grantFree(first)
    for (const leader of ['one', 'another'])
      expect([
        leader,
        await transaction(database.db, (tx) => releaseCall(tx, first.callId)),
      ]).toEqual([leader, true])
    expect((await transaction(database.db, (tx) => readStanding(tx, first))).freeLeft).toBe(10)
    expect(await grantFree(first)).toBe(true)
  },
)

verifies(
  'charge.grant-or-release',
  'release and effect exclude each other: one wins each of 40 races',
  async () => {
    for (let round = 0; round < 40; round += 1) {
      const call = newCall()
      await grantFree(call)
      const effect = answer(call, 201, { done: true }).then(
        () => 'ran',
        (error: Error) => error.message,
      )
      const release = transaction(database.db, (tx) => releaseCall(tx, call.callId))
      const [ran, released] = await Promise.all([effect, release])
      expect([ran === 'ran', released]).toEqual(released ? [false, true] : [true, false])
      const row = await findCall(database.db, call.callId)
      expect(row?.grant_state).toBe(released ? 'released' : 'used')
      if (released) expect(ran).toContain('grant_released')
    }
  },
)

verifies(
  'charge.grant-or-release',
  'a repeated effect claims its own grant, and no other effect can',
  async () => {
    const call = newCall()
    await grantFree(call)
    await transaction(database.db, (tx) => claimGrant(tx, call.callId, 'po_1'))
    await transaction(database.db, (tx) => claimGrant(tx, call.callId, 'po_1'))
    await expect(
      transaction(database.db, (tx) => claimGrant(tx, call.callId, 'po_2')),
    ).rejects.toThrow('grant_released')
  },
)

verifies('charge.grant-or-release', 'only the first final answer is stored', async () => {
  const call = newCall()
  await grantFree(call)
  await answer(call, 201, { first: true })
  await answer(call, 200, { first: false })
  expect(await findCall(database.db, call.callId)).toMatchObject({
    answer: { first: true },
    status: 201,
    answer_state: 'final',
  })
})

verifies(
  'proof.replay-other-body',
  'a proof nonce that paid for one body is refused for another',
  async () => {
    const first = newCall()
    await grantFree(first)
    const other = {
      ...newCall(first.caller),
      proof: { ...first.proof!, bodySha256: 'c'.repeat(64) },
    }
    await expect(grantFree(other)).rejects.toThrow('wallet_proof_replayed')
  },
)

verifies(
  'x402.one-effect',
  'a payment presented by 20 parallel calls is bound to one of them',
  async () => {
    const payment = newPayment('0xaa')
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        transaction(database.db, (tx) =>
          claimPayment(tx, payment, `call_${index}`, 'claimed'),
        ).then(
          () => 'bound',
          (error: Error) => error.message.split(':')[0],
        ),
      ),
    )
    expect(claims.filter((claim) => claim === 'bound')).toHaveLength(1)
    expect(claims.filter((claim) => claim !== 'bound')).toEqual(
      Array.from({ length: 19 }, () => 'payment_already_used'),
    )
  },
)

async function paidCall(): Promise<{ call: CallIdentity; payment: PaymentClaim }> {
  const call = newCall()
  const payment = newPayment(call.proof!.wallet)
  await transaction(database.db, async (tx, atCommit) => {
    await claimPayment(tx, payment, call.callId, 'claimed')
    await grantCall(tx, atCommit, call, { kind: 'payment', paymentId: payment.paymentId }, granted)
  })
  return { call, payment }
}

verifies(
  'charge.only-success',
  'a paid answer is withheld until its payment is settled',
  async () => {
    const { call, payment } = await paidCall()
    await answer(call, 201, { done: true })
    expect(await findCall(database.db, call.callId)).toMatchObject({ answer_state: 'done' })
    expect(await findPayment(database.db, payment.paymentId)).toMatchObject({ state: 'settling' })
    await transaction(database.db, (tx) => recordSettled(tx, payment.paymentId, inclusion))
    expect(await findCall(database.db, call.callId)).toMatchObject({ answer_state: 'final' })
  },
)

verifies(
  'x402.credit',
  'a refused call frees a claimed payment and credits a settled one once',
  async () => {
    const unsettled = await paidCall()
    await transaction(database.db, (tx) => releaseCall(tx, unsettled.call.callId))
    await transaction(database.db, (tx) =>
      claimPayment(tx, unsettled.payment, 'call_other', 'claimed'),
    )

    const { call, payment } = await paidCall()
    await startSettling(database.db, payment.paymentId)
    expect(await transaction(database.db, (tx) => releaseCall(tx, call.callId))).toBe(false)
    await transaction(database.db, (tx) => recordSettled(tx, payment.paymentId, inclusion))
    expect(await transaction(database.db, (tx) => releaseCall(tx, call.callId))).toBe(true)
    const takers = await Promise.all(
      Array.from({ length: 10 }, () =>
        transaction(database.db, async (tx, atCommit) => {
          const other = newCall(call.caller)
          const { credit } = await readStanding(tx, other)
          if (credit !== undefined)
            await grantCall(tx, atCommit, other, { kind: 'credit', paymentId: credit }, granted)
          return credit
        }),
      ),
    )
    expect(takers.filter((id) => id === payment.paymentId)).toHaveLength(1)
    await expect(
      grant(newCall(), { kind: 'credit', paymentId: payment.paymentId }),
    ).rejects.toThrow('used twice')
    await expect(grant(call, { kind: 'free' })).resolves.toBeUndefined()
    await expect(grant({ ...call, proof: null }, { kind: 'free' })).rejects.toThrow('not-null')
  },
)

verifies(
  'x402.debt',
  'a payment that fails before its effect releases the call, later not',
  async () => {
    const before = await paidCall()
    await startSettling(database.db, before.payment.paymentId)
    await transaction(database.db, (tx) =>
      recordFailed(tx, before.payment.paymentId, { failure: 'expired', finalizedBlock }),
    )
    expect(await findCall(database.db, before.call.callId)).toMatchObject({
      grant_state: 'released',
    })

    const after = await paidCall()
    await answer(after.call, 201, { done: true })
    await transaction(database.db, (tx) =>
      recordFailed(tx, after.payment.paymentId, { failure: 'expired', finalizedBlock }),
    )
    expect(await findCall(database.db, after.call.callId)).toMatchObject({
      grant_state: 'used',
      answer_state: 'done',
    })
    const next = newCall(after.call.caller)
    const { debt } = await transaction(database.db, (tx) => readStanding(tx, next))
    expect(debt).toMatchObject({ callId: after.call.callId, paymentId: after.payment.paymentId })
  },
)

verifies(
  'x402.unpaid-read',
  'a read whose payment fails is released, and the wallet owes nothing',
  async () => {
    const call = newCall()
    const payment = newPayment(call.caller.slice(7))
    await transaction(database.db, async (tx, atCommit) => {
      await claimPayment(tx, payment, call.callId, 'settling')
      await grantCall(tx, atCommit, call, { kind: 'payment', paymentId: payment.paymentId }, 'read')
    })
    expect(await requireCall(database.db, call.callId)).toMatchObject({
      grant_state: 'used',
      answer_state: 'done',
    })
    for (let time = 0; time < 2; time++)
      await transaction(database.db, (tx) =>
        recordFailed(tx, payment.paymentId, { failure: 'expired', finalizedBlock }),
      )
    expect(await requireCall(database.db, call.callId)).toMatchObject({
      grant_state: 'released',
      payment_id: null,
    })
    expect(await findPayment(database.db, payment.paymentId)).toMatchObject({
      state: 'failed',
      call_id: null,
    })
    const standing = await transaction(database.db, (tx) => readStanding(tx, newCall(call.caller)))
    expect(standing).toMatchObject({ call: undefined, debt: undefined, credit: undefined })
    expect(await grantFree(newCall(call.caller))).toBe(true)
    await transaction(database.db, (tx, atCommit) =>
      grantCall(tx, atCommit, call, { kind: 'free' }, 'read'),
    )
  },
)

verifies(
  'store.lock-order',
  'settling or failing a payment locks its call before the payment',
  async () => {
    const records = [
      (tx: Tx, id: string) => recordSettled(tx, id, inclusion),
      (tx: Tx, id: string) => recordFailed(tx, id, { failure: 'expired', finalizedBlock }),
    ]
    for (const record of records) {
      const { call, payment } = await paidCall()
      await startSettling(database.db, payment.paymentId)
      const { recorded } = await transaction(database.db, async (tx) => {
        await lockCall(tx, call.callId)
        const recorded = transaction(database.db, (other) => record(other, payment.paymentId))
        await expect.poll(() => lockWaits(database.db), { interval: 20 }).toBe(1)
        await sql`select 1 from payments where payment_id = ${payment.paymentId} for update nowait`.execute(
          tx,
        )
        return { recorded }
      })
      await recorded
    }
  },
)

verifies(
  'charge.grant-or-release',
  'a call without a grant row is never granted by its effect',
  async () => {
    await expect(
      transaction(database.db, (tx) => claimGrant(tx, 'call_none', 'po_1')),
    ).rejects.toThrow('grant_released')
    await expect(grant(newCall(), { kind: 'none' })).resolves.toBeUndefined()
  },
)

verifies(
  'proof.kept',
  'a granted call keeps wallet, nonce, path, body digest and outcome',
  async () => {
    const call = newCall()
    await grantFree(call)
    await answer(call, 201, { done: true })
    expect(await findCall(database.db, call.callId)).toMatchObject({
      caller: call.caller,
      proof_nonce: call.proof!.nonce,
      path: '/api/payout-create',
      body_sha256: call.proof!.bodySha256,
      funding: 'free',
      grant_state: 'used',
      status: 201,
    })
    const nonces = await database.db
      .selectFrom('proof_nonces')
      .selectAll()
      .where('call_id', '=', call.callId)
      .execute()
    expect(nonces).toMatchObject([
      { wallet: call.proof!.wallet, nonce: call.proof!.nonce, body_sha256: call.proof!.bodySha256 },
    ])
  },
)
