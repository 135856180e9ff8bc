import { DomainError, type Refusal, refuse } from '../workflows/domain/errors.ts'
import { transferNonce } from '../workflows/domain/ids.ts'
import { termsDigest, type Usage } from '../workflows/domain/payout.ts'
import type { PayoutSteps, StepInput, StepResult } from '../workflows/payout/ports.ts'
import { consumed, type StagedAuthorize, verifyAuthorization } from './authorization.ts'
import { assertCanaryConfirmed } from './canary.ts'
import type { Deps } from './deps.ts'
import { answerCall, writeReceipt } from './payout-records.ts'
import { assertExecutable, assertNoUnsettledCharge, openFor, ownPayout, unknownPayout } from './payout-rules.ts'
import { snapshotOf } from './payout-snapshot.ts'
import { claimGrant } from './store/calls.ts'
import { type Tx, transaction } from './store/db.ts'
import { openExceptionCode } from './store/exceptions.ts'
import {
  findTransfer,
  insertPayout,
  lockPayout,
  markAuthorized,
  type PayoutRecord,
  type PayoutRow,
  readPayout,
  requirePayout,
} from './store/payouts.ts'
import { consumeKeys } from './store/replay-ledger.ts'
import { readStaged } from './store/staged-inputs.ts'
import { insertReservation, lockDailyCap } from './store/transfers.ts'

export type StagedCreate = {
  creator: string
  recipient: string
  amount_atomic: string
  memo: string
  rail_reference: string
  usage: Usage
  idempotency_key: string
}
/** The short durable steps of a payout: each one transaction, each the same when it runs twice. */
export function createPayoutSteps(deps: Deps): PayoutSteps {
  return {
    loadPayout: async (payoutId) => {
      const record = await readPayout(deps.db, payoutId)
      if (record === undefined) return null
      return { ...snapshotOf(deps, record), difference: await openExceptionCode(deps.db, payoutId) }
    },
    createPayout: (input) => step(() => createPayout(deps, input)),
    authorizePayout: (input) => step(() => authorizePayout(deps, input)),
    reserveTransfer: (input) => step(() => reserveTransfer(deps, input)),
  }

  async function step(run: () => Promise<PayoutRecord>): Promise<StepResult> {
    try {
      return { ok: true, snapshot: snapshotOf(deps, await run()) }
    } catch (error) {
      // A refusal is a result: Temporal would remember a thrown one for the run, and retry nothing.
      if (error instanceof DomainError) return { ok: false, refusal: error.refusal }
      throw error
    }
  }
}

async function createPayout(deps: Deps, { payoutId, callId, staged }: StepInput): Promise<PayoutRecord> {
  const input = await stagedInput<StagedCreate>(deps.db, staged)
  const { asset, payoutWallet } = deps.rail
  const terms_sha256 = termsDigest({ ...input, asset })
  return transaction(deps.db, async (tx) => {
    const { creator, idempotency_key, recipient, amount_atomic, memo, rail_reference, usage } = input
    const terms = {
      recipient,
      amount_atomic,
      memo,
      rail_reference,
      usage,
      asset,
      payout_wallet: payoutWallet,
      terms_sha256,
    }
    const { row } = await insertPayout(tx, { payout_id: payoutId, creator, idempotency_key, ...terms })
    if (row.terms_sha256 !== terms_sha256) {
      throw refuse(
        'idempotency_conflict',
        'a payout with this idempotency key has other terms',
        'Use a new idempotency key for other terms.',
      )
    }
    await claimGrant(tx, callId, payoutId)
    await writeReceipt(deps, tx, 'payout_created', row)
    return answerCall(deps, tx, { callId, payoutId }, 201)
  })
}

async function authorizePayout(deps: Deps, { payoutId, callId, staged }: StepInput): Promise<PayoutRecord> {
  const input = await stagedInput<StagedAuthorize>(deps.db, staged)
  const seen = ownPayout((await readPayout(deps.db, payoutId))?.payout, input.creator)
  const bound = isSameAuthorization(seen, input, staged)
    ? null
    : await verifyAuthorization(deps, openFor('authorize', seen), input)
  return transaction(deps.db, async (tx) => {
    const row = ownPayout(await lockPayout(tx, payoutId), input.creator)
    if (bound !== null && !isSameAuthorization(row, input, staged)) {
      await assertNoUnsettledCharge(tx, openFor('authorize', row))
      const used = await consumeKeys(tx, bound.keys, payoutId)
      if (used !== undefined) throw consumed(used)
      const facts = {
        expiresAt: input.expires_at,
        idempotencyKey: input.idempotency_key,
        fingerprint: staged,
        mandateRef: bound.mandateRef,
      }
      const authorized = await markAuthorized(tx, payoutId, facts)
      if (authorized === undefined) throw new Error('the locked payout changed its state')
      await writeReceipt(deps, tx, 'payout_authorized', authorized)
    }
    await claimGrant(tx, callId, payoutId)
    return answerCall(deps, tx, { callId, payoutId }, 200)
  })
}

async function reserveTransfer(
  deps: Deps,
  { payoutId, callId }: { payoutId: string; callId: string },
): Promise<PayoutRecord> {
  const held = await deps.floor.look()
  await transaction(deps.db, async (tx) => {
    const row = await lockPayout(tx, payoutId)
    if (row === undefined) throw unknownPayout()
    if ((await findTransfer(tx, payoutId)) !== undefined) return claimGrant(tx, callId, payoutId)
    await lockDailyCap(tx, row.payout_wallet)
    const expiresAt = await assertExecutable(tx, row, deps.rail.executeLifeSecondsMin)
    await deps.floor.assertAbove(tx, row, held)
    await assertCanaryConfirmed(tx, deps)
    await claimGrant(tx, callId, payoutId)
    const { payout_wallet: wallet, recipient, amount_atomic } = row
    const nonce = transferNonce(row.asset, payoutId)
    await insertReservation(tx, {
      payoutId,
      nonce,
      wallet,
      recipient,
      amountAtomic: BigInt(amount_atomic),
      validBefore: expiresAt,
      callId,
    })
  })
  return requirePayout(deps.db, payoutId)
}

const isSameAuthorization = (row: PayoutRow, input: StagedAuthorize, fingerprint: string): boolean =>
  row.authorize_idempotency_key === input.idempotency_key && row.authorize_fingerprint === fingerprint

async function stagedInput<T>(tx: Tx, digest: string): Promise<T> {
  const input = await readStaged<T>(tx, digest)
  if (input === undefined)
    throw new DomainError({
      code: 'unavailable',
      detail: 'the staged input has expired',
      next_action: 'Repeat the call.',
    } satisfies Refusal)
  return input
}
