import { randomBytes } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { pino } from 'pino'
import { type Address, type Hex, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { payoutId as payoutIdOf } from '#domain/core/ids.ts'
import { termsDigest } from '#domain/payouts/payout.ts'
import { authorizationDigest } from '../../activities/chain/authorization.ts'
import type { Outcome } from '../../activities/chain/outcome.ts'
import { digestSigner } from '../../activities/chain/secp256k1.ts'
import { receiptSigner } from '../../activities/container.ts'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import { keyRings } from '../../activities/keys/key-ring.ts'
import { publishKeys } from '../../activities/keys/publish-keys.ts'
import type { Deps, Signer } from '../../activities/payouts/deps.ts'
import { createPayoutSteps } from '../../activities/payouts/payout.ts'
import { createPayoutSigner } from '../../activities/payouts/signer.ts'
import type { SigningPolicy } from '../../activities/payouts/signing-rules.ts'
import {
  authorizationOf,
  createSigningSteps,
  createTransferSteps,
} from '../../activities/payouts/transfer.ts'
import { findCall } from '../../activities/store/calls/calls.ts'
import { grantCall } from '../../activities/store/calls/grants.ts'
import { findTransfer, type NewPayout } from '../../activities/store/payouts/payouts.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { listReceipts } from '../../activities/store/receipts/receipts.ts'
import { nowSeconds, proofOf } from '../support/agent.ts'
import { finalizedBlock, newWallet } from '../support/chain.ts'
import { insertAuthorizedPayout, signSeeded } from '../support/payout-rows.ts'
import { startDatabase, type TestDatabase } from '../support/postgres.ts'
import { verifies } from '../verifies.ts'

/** Real Postgres, real signatures, the real steps; only the chain is a fake. Each payout has a payout wallet of its own. */
let database: TestDatabase
let deps: Deps
let proven: Outcome = { kind: 'unknown', code: 'open', reason: 'not asked yet' }
const origin = 'https://svc.example'
const principal = newWallet()
const asset = newWallet().address

beforeAll(async () => {
  database = await startDatabase()
  const keys = keyRings(generateSigningKeys(new Date()))
  await publishKeys(database.db, keys)
  deps = {
    db: database.db,
    log: pino({ level: 'silent' }),
    rail: {
      asset,
      payoutWallet: newWallet().address,
      environment: 'local',
      issuer: `${origin}/api/trust-contract`,
      createdLifeMs: 1000,
      executeLifeSecondsMin: 30,
      confirmWindowMs: 1,
      transferGas: 1n,
    },
    signReceipt: receiptSigner(keys),
    authority: {
      origin,
      keys,
      verifyWalletMessage: async () => false,
    } as unknown as Deps['authority'],
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
      submit: async () => ({ txHash: `0x${'1'.repeat(64)}` }),
      maintain: async () => undefined,
    },
  }
})
afterAll(async () => {
  await database?.stop()
})

const callName = () => `call_${randomBytes(16).toString('hex')}`
type Wallet = ReturnType<typeof newWallet>
type Made = { payoutId: string; wallet: Wallet; creator: Wallet; callId: string }

/** An authorized payout from `wallet`, with a granted execute call of its creator and that one's proof. */
async function payoutFrom(
  wallet = newWallet(),
  signed: string | 'principal' = 'principal',
): Promise<Made> {
  const creator = newWallet()
  const idempotency_key = callName()
  const terms = {
    recipient: newWallet().address,
    amount_atomic: '5000000',
    memo: 'm',
    rail_reference: 'r',
    usage: 'synthetic' as const,
    asset,
  }
  const payout: NewPayout = {
    ...terms,
    payout_id: payoutIdOf(creator.address, idempotency_key),
    creator: creator.address,
    idempotency_key,
    payout_wallet: wallet.address,
    terms_sha256: termsDigest(terms),
  }
  const expiresAt = nowSeconds() + 3600
  const account = privateKeyToAccount(principal.privateKey)
  const signature = signed === 'principal' ? await signSeeded(account, payout, expiresAt) : signed
  await insertAuthorizedPayout(database.db, payout, expiresAt, signature)
  const callId = await grant(payout.payout_id, creator)
  return { payoutId: payout.payout_id, wallet, creator, callId }
}

type Call = { operation?: string; proof?: string | undefined }

async function grant(
  payoutId: string,
  creator: Wallet,
  { operation = 'payout-execute', ...given }: Call = {},
) {
  const callId = callName()
  const body = { payout_id: payoutId, idempotency_key: 'execute' }
  const { 'X-Service-Wallet-Proof': proof } = await proofOf(
    creator.account,
    origin,
    '/api/payout-execute',
    body,
  )
  const identity = {
    callId,
    caller: `wallet:${creator.address}`,
    operation,
    key: callId,
    fingerprint: 'f',
    path: '/',
  }
  const input = 'proof' in given ? { ...body, proof: given.proof } : { ...body, proof }
  await transaction(database.db, (tx, atCommit) =>
    grantCall(
      tx,
      atCommit,
      { ...identity, proof: null },
      { kind: 'free' },
      { lease: { holder: 't', ms: 9_000 }, input },
    ),
  )
  return callId
}

function signerOf({ wallet }: Pick<Made, 'wallet'>, change: Partial<SigningPolicy> = {}): Signer {
  return createPayoutSigner(digestSigner(wallet.privateKey), {
    asset,
    payoutWallet: wallet.address,
    principal: principal.address,
    payoutMaxAtomic: 25_000_000n,
    dailyCapAtomic: 100_000_000n,
    canary: undefined,
    ...change,
  })
}
const reserve = (made: Pick<Made, 'payoutId' | 'callId'>, signer?: Signer) =>
  createPayoutSteps(deps, signer).reserveTransfer({ payoutId: made.payoutId, callId: made.callId })
/** Why a step refused a call, as its caller reads it. */
const refusalOf = async (callId: string) => (await findCall(database.db, callId))?.refusal
const sign = (made: Made, signer = signerOf(made)) =>
  createSigningSteps(deps, signer).signTransfer(made.payoutId)
const transferOf = ({ payoutId }: Made) => findTransfer(database.db, payoutId)

/** As a row from before the signature was stored, or one that was changed around the guards. */
async function withoutGuards(statement: string): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query(
      `set session_replication_role = replica; ${statement}; reset session_replication_role`,
    )
  } finally {
    client.release()
  }
}

verifies(
  'signer.verifies',
  'a transfer that the principal signed is signed, wherever the key is',
  async () => {
    const [atReserve, byQueue] = [await payoutFrom(), await payoutFrom()]
    expect(await reserve(atReserve, signerOf(atReserve))).toMatchObject({
      ok: true,
      snapshot: { transfer: 'signed' },
    })
    expect(await reserve(byQueue)).toMatchObject({ ok: true, snapshot: { transfer: 'reserved' } })
    await sign(byQueue)
    for (const made of [atReserve, byQueue]) {
      const transfer = await transferOf(made)
      if (transfer === undefined) throw new Error('nothing was reserved')
      const hash = authorizationDigest(asset, authorizationOf(transfer))
      const signer: Address = await recoverAddress({ hash, signature: transfer.signature as Hex })
      expect(signer.toLowerCase()).toBe(made.wallet.address)
    }
  },
)

verifies(
  'signer.withholds',
  'a payout without today’s principal signature is parked and expires',
  async () => {
    const unsigned = async () => {
      const made = await payoutFrom()
      await withoutGuards(
        `update payouts set principal_signature = null where payout_id = '${made.payoutId}'`,
      )
      return made
    }
    const rotated = { principal: newWallet().address }
    const cases = [
      { make: unsigned, policy: {}, reason: 'no signature of the treasury principal is stored' },
      {
        make: () => payoutFrom(),
        policy: rotated,
        reason: 'not one of the configured treasury principal',
      },
      {
        make: () => payoutFrom(newWallet(), `0x${'ab'.repeat(64)}1b`),
        policy: {},
        reason: 'not one of the configured',
      },
    ]
    for (const { make, policy, reason } of cases) {
      for (const withKey of [true, false]) {
        const made = await make()
        const signer = signerOf(made, policy)
        // Where SQL refuses a signed transfer of an unsigned payout it is reserved all the same: the rail parks it and says why.
        expect(await reserve(made, withKey ? signer : undefined)).toMatchObject({ ok: true })
        await sign(made, signer)
        expect(await transferOf(made)).toMatchObject({
          status: 'reserved',
          signature: null,
          parked: expect.stringContaining(reason),
        })
        const steps = createTransferSteps(deps)
        expect(await steps.submitTransfer(made.payoutId)).toMatchObject({
          parked: expect.stringContaining(reason),
        })
        proven = { kind: 'dead', reason: 'expired', finalizedBlock }
        const ended = await new MockActivityEnvironment().run(steps.confirmTransfer, made.payoutId)
        expect(ended).toMatchObject({ transfer: 'dead', parked: null })
        expect((await listReceipts(database.db, made.payoutId)).map(({ kind }) => kind)).toEqual([
          'payout_dead',
        ])
      }
    }
  },
)

verifies(
  'signer.cap-once',
  'of three transfers of 5 a cap of 10 signs the first two, once each',
  async () => {
    const wallet = newWallet()
    const made: Made[] = []
    for (let count = 0; count < 3; count += 1) made.push(await payoutFrom(wallet))
    for (const one of made) expect(await reserve(one)).toMatchObject({ ok: true })
    const signer = signerOf({ wallet }, { dailyCapAtomic: 10_000_000n })
    for (const one of made) await sign(one, signer)
    const rows = await Promise.all(made.map(transferOf))
    expect(rows.map((row) => row?.status)).toEqual(['signed', 'signed', 'reserved'])
    expect(rows[2]?.parked).toContain('15000000 of 10000000')
  },
)

verifies(
  'signer.cap-once',
  'a reorganised transfer of yesterday refuses no later reservation',
  async () => {
    const wallet = newWallet()
    const signer = signerOf({ wallet }, { dailyCapAtomic: 5_000_000n })
    const [old, young] = [await payoutFrom(wallet), await payoutFrom(wallet)]
    await reserve(old, signer)
    await withoutGuards(`update transfers set status = 'submitted', reserved_at = now() - interval '26 hours',
      block_time = now() - interval '25 hours', block_number = 1 where payout_id = '${old.payoutId}'`)
    await reserve(young)
    await sign(young, signer)
    expect(await transferOf(young)).toMatchObject({ status: 'signed' })
  },
)

verifies(
  'signer.own-operation',
  'a step refuses the call of any other operation, and nothing is written',
  async () => {
    const operations = [
      'payout-create',
      'payout-authorize',
      'payout-execute',
      'payout-status',
    ] as const
    const steps = createPayoutSteps(deps)
    const runs = {
      'payout-create': steps.createPayout,
      'payout-authorize': steps.authorizePayout,
      'payout-execute': steps.reserveTransfer,
    }
    const made = await payoutFrom()
    const { payoutId, creator } = made
    for (const [own, run] of Object.entries(runs)) {
      for (const operation of operations.filter((name) => name !== own)) {
        const callId = await grant(payoutId, creator, { operation })
        expect(await run({ payoutId, callId })).toEqual({ ok: false })
        expect(await refusalOf(callId)).toMatchObject({ code: 'wrong_state' })
        await sql`update calls set grant_state = 'used', input = null, refusal = null, subject = ${payoutId}
          where call_id = ${callId}`.execute(database.db)
        expect(await run({ payoutId, callId })).toEqual({ ok: false })
      }
    }
    expect(await transferOf(made)).toBeUndefined()
  },
)

verifies(
  'signer.execute-proof',
  'only the creator’s proof for this very execute reserves',
  async () => {
    const made = await payoutFrom()
    const { payoutId, creator } = made
    const body = { payout_id: payoutId, idempotency_key: 'execute' }
    const header = async (wallet: Wallet, path: string, sent: unknown, at = origin) =>
      (await proofOf(wallet.account, at, path, sent))['X-Service-Wallet-Proof']
    const path = '/api/payout-execute'
    const stolen = [
      undefined,
      'nonsense',
      await header(newWallet(), path, body),
      await header(creator, '/api/payout-authorize', body),
      await header(creator, path, { ...body, payout_id: `po_${'0'.repeat(64)}` }),
      await header(creator, path, { ...body, idempotency_key: 'another' }),
      await header(creator, path, body, 'https://other.example'),
    ]
    for (const proof of stolen) {
      const callId = await grant(payoutId, creator, { proof })
      expect(await reserve({ payoutId, callId })).toEqual({ ok: false })
      expect(await refusalOf(callId)).toMatchObject({
        code: 'wallet_proof_invalid',
        money_moved: 'no',
      })
    }
    expect(await transferOf(made)).toBeUndefined()
    expect(await reserve(made)).toMatchObject({ ok: true, snapshot: { transfer: 'reserved' } })
  },
)

verifies('signer.execute-proof', 'a creator with code is verified on the chain', async () => {
  const made = await payoutFrom()
  const { payoutId, creator } = made
  const proof = (
    await proofOf(creator.account, 'https://other.example', '/api/payout-execute', {
      payout_id: payoutId,
      idempotency_key: 'execute',
    })
  )['X-Service-Wallet-Proof']
  const callId = await grant(payoutId, creator, { proof })
  const asked: string[] = []
  const verifyWalletMessage = async (wallet: string) => asked.push(wallet) > 0
  const steps = createPayoutSteps({
    ...deps,
    authority: { ...deps.authority, verifyWalletMessage },
  })
  expect(await steps.reserveTransfer({ payoutId, callId })).toMatchObject({ ok: true })
  expect(asked).toEqual([creator.address])
})

verifies(
  'signer.guarded-in-sql',
  'SQL starts no transfer without its authorized payout and execute',
  async () => {
    const insert = (of: Made, change: Record<string, string>) =>
      sql
        .raw(`insert into transfers select (jsonb_populate_record(null::transfers, jsonb_build_object(
        'payout_id', payout_id, 'nonce', transfer_nonce, 'wallet', payout_wallet, 'recipient', recipient,
        'amount_atomic', amount_atomic, 'valid_after', 0, 'valid_before', expires_at, 'status', 'reserved', 'confirmations', 0,
        'call_id', '${of.callId}', 'reserved_at', now(), 'changed_at', now()) || '${JSON.stringify(change)}')).*
        from payouts where payout_id = '${of.payoutId}'`)
        .execute(database.db)
    const made = await payoutFrom()
    const create = await grant(made.payoutId, made.creator, { operation: 'payout-create' })
    const stranger = await grant(made.payoutId, newWallet())
    const other = newWallet().address
    for (const change of [
      { recipient: other },
      { amount_atomic: '1' },
      { wallet: other },
      { nonce: `0x${'0'.repeat(64)}` },
      { valid_after: '1' },
      { valid_before: '4000000000' },
      { status: 'submitted', signature: '0x' },
      { from_block: '1' },
      { call_id: create },
      { call_id: stranger },
    ])
      await expect(insert(made, change), JSON.stringify(change)).rejects.toMatchObject({
        code: '23514',
      })
    await insert(made, {})
  },
)

verifies(
  'signer.guarded-in-sql',
  'SQL authorizes nothing unsigned and changes no authorization',
  async () => {
    const made = await payoutFrom()
    const update = (set: string) =>
      sql.raw(`update payouts set ${set} where payout_id = '${made.payoutId}'`).execute(database.db)
    for (const set of [
      'expires_at = 4000000000',
      "principal_signature = '0x' || repeat('22', 65)",
      "transfer_nonce = '0x' || repeat('22', 32)",
      "authorize_idempotency_key = 'x'",
      "mandate_ref = 'x'",
    ])
      await expect(update(set), set).rejects.toMatchObject({ code: '23514' })
    await withoutGuards(`update payouts set state = 'created', authorized_at = null, expires_at = null, mandate_ref = null,
    authorize_idempotency_key = null, authorize_fingerprint = null, principal_signature = null, transfer_nonce = null
    where payout_id = '${made.payoutId}'`)
    const authorization = `state = 'authorized', authorized_at = now(), expires_at = 4000000000, mandate_ref = 'm',
    authorize_idempotency_key = 'k', authorize_fingerprint = 'f'`
    await expect(update(authorization)).rejects.toMatchObject({ code: '23514' })
    await expect(
      update(`${authorization}, transfer_nonce = '0x' || repeat('22', 32)`),
    ).rejects.toMatchObject({
      code: '23514',
    })
    await update(
      `${authorization}, transfer_nonce = '0x' || repeat('22', 32), principal_signature = '0x' || repeat('11', 65)`,
    )
  },
)
