import { DomainError, refuse } from '#domain/core/errors.ts'
import { callId as callIdOf, payoutId as payoutIdOf, transferNonce } from '#domain/core/ids.ts'
import { termsDigest } from '#domain/payouts/payout.ts'
import type { PayoutReceiptKind } from '#domain/receipts/receipt.ts'
import { useGrant } from '../store/calls/calls.ts'
import { grantCall } from '../store/calls/grants.ts'
import {
  authorizedPayout,
  createdPayout,
  findTransfer,
  insertPayout,
  type PayoutRecord,
  type PayoutRow,
  readPayout,
  type TransferRow,
  updateAuthorized,
} from '../store/payouts/payouts.ts'
import { insertTransfer, lockDailyCap, reservedTransfer } from '../store/payouts/transfers.ts'
import { utcDay } from '../store/postgres/clock.ts'
import { type AtCommit, clockSeconds, type Tx, transaction } from '../store/postgres/db.ts'
import { nextReceipt, type ReceiptRow } from '../store/receipts/receipts.ts'
import type { Canary } from './canary-settings.ts'
import { setControl } from './controls.ts'
import type { Deps } from './deps.ts'
import type { MinimumBalance } from './minimum-balance.ts'
import { payoutReceipt } from './records.ts'
import { assertExecutable } from './rules.ts'

export type CanaryState = 'absent' | 'under way' | 'confirmed' | 'failed'
/** The parts that a canary needs; without `canary` there is none. */
export type CanaryDeps = Pick<Deps, 'rail' | 'canary'>

/** Only a canary has the payout wallet as creator: that wallet signs no wallet proofs, so no caller can use it. */
export const isCanary = (row: PayoutRow): boolean => row.creator === row.payout_wallet

/** Refuses with 503 `paused` until today's canary is confirmed. A failed canary has paused the rail; the operator decides when it resumes. */
export async function assertCanaryConfirmed(tx: Tx, deps: CanaryDeps): Promise<void> {
  if (deps.canary === undefined) return
  const { state } = await todaysCanary(tx, deps.rail.payoutWallet)
  if (state === 'confirmed' || state === 'failed') return
  throw refuse('paused', {
    detail: "today's canary, a small transfer before the payouts of each day, is not confirmed yet",
    next_action: 'Repeat the call; it continues when the canary is confirmed.',
    retry_after_ms: 2_000,
  })
}

/** Today's canary by Postgres' clock: its payout id and how far it is. */
export async function todaysCanary(
  tx: Tx,
  wallet: string,
): Promise<{ payoutId: string; key: string; state: CanaryState }> {
  const key = `canary-${await utcDay(tx)}`
  const payoutId = payoutIdOf(wallet, key)
  return { payoutId, key, state: stateOf(await findTransfer(tx, payoutId)) }
}

function stateOf(transfer: TransferRow | undefined): CanaryState {
  if (transfer === undefined) return 'absent'
  if (transfer.status === 'dead' || transfer.exception !== null) return 'failed'
  return transfer.status === 'included' || transfer.status === 'final' ? 'confirmed' : 'under way'
}

/**
 * Creates, authorizes and reserves today's canary in one transaction and returns its payout id; undefined if it exists. A pause,
 * the daily cap and the minimum balance refuse it like any other payout.
 */
export async function beginCanary(
  deps: Pick<Deps, 'db' | 'rail' | 'signReceipt'> & {
    canary: Canary
    minimumBalance: MinimumBalance
  },
): Promise<string | undefined> {
  const { canary, rail } = deps
  const wallet = rail.payoutWallet
  if ((await todaysCanary(deps.db, wallet)).state !== 'absent') return undefined
  const seen = await deps.minimumBalance.read()
  return transaction(deps.db, async (tx, atCommit) => {
    const { payoutId, key } = await todaysCanary(tx, wallet)
    // This lock allows only one canary at a time.
    await lockDailyCap(tx, { wallet })
    if ((await readPayout(tx, payoutId)) !== undefined) return undefined
    const [now, signer] = await Promise.all([clockSeconds(tx), deps.signReceipt(tx)])
    const expiresAt = Math.floor(now) + canary.lifeSeconds
    const { created, authorized } = canaryRows(deps, payoutId, key, expiresAt, new Date(now * 1000))
    await assertExecutable(tx, authorized, rail.executeLifeSecondsMin)
    await deps.minimumBalance.assertAbove(tx, authorized, seen)
    const sign = (earlier: ReceiptRow[], kind: PayoutReceiptKind, row: PayoutRow) =>
      nextReceipt(earlier, signer, payoutReceipt(deps, kind, row, undefined), Math.floor(now))
    const first = await sign([], 'payout_created', created)
    const second = await sign([first.row], 'payout_authorized', authorized)
    for (const write of [insertPayout(created), updateAuthorized(authorized)]) atCommit(write)
    for (const { insert } of [first, second]) atCommit(insert)
    const callId = await grantOwnCall(tx, atCommit, payoutId, created.terms_sha256)
    const nonce = transferNonce(rail.asset, payoutId)
    atCommit(
      insertTransfer(reservedTransfer(authorized, { nonce, validBefore: expiresAt, callId }, now)),
    )
    return payoutId
  })
}

/** Today's canary, started if no rule refuses it; undefined if the id belongs to another payout. */
export async function dueCanary(deps: Deps, payoutId: string): Promise<PayoutRecord | undefined> {
  const { canary, db, rail } = deps
  if (canary === undefined || (await todaysCanary(db, rail.payoutWallet)).payoutId !== payoutId)
    return undefined
  await beginCanary({ ...deps, canary }).catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error
    deps.log.warn({ payoutId, code: error.refusal.code }, 'the canary cannot begin')
  })
  return readPayout(db, payoutId)
}

function canaryRows(
  { canary, rail }: Pick<Deps, 'rail'> & { canary: Canary },
  payoutId: string,
  key: string,
  expiresAt: number,
  at: Date,
): { created: PayoutRow; authorized: PayoutRow } {
  const wallet = rail.payoutWallet
  const terms = {
    recipient: canary.recipient,
    amount_atomic: canary.amountAtomic.toString(),
    memo: 'canary',
    rail_reference: key,
    usage: 'operational' as const,
    asset: rail.asset,
  }
  const digest = termsDigest(terms)
  const names = {
    payout_id: payoutId,
    creator: wallet,
    idempotency_key: key,
    payout_wallet: wallet,
  }
  const created = createdPayout({ ...terms, ...names, terms_sha256: digest }, at)
  // The mandate reference names the canary instead of a mandate, so that the receipts stay true.
  const mandateRef = key.replace('-', ':')
  const authority = {
    expiresAt,
    idempotencyKey: key,
    fingerprint: digest,
    mandateRef,
    principalSignature: null,
  }
  return { created, authorized: authorizedPayout(created, authority, at) }
}

/** Every transfer belongs to a call; this call is made by the service and is free. */
async function grantOwnCall(
  tx: Tx,
  atCommit: AtCommit,
  payoutId: string,
  fingerprint: string,
): Promise<string> {
  const caller = 'service:canary'
  const callId = callIdOf(caller, 'canary', payoutId)
  const call = {
    callId,
    caller,
    operation: 'canary',
    key: payoutId,
    fingerprint,
    path: 'canary',
    proof: null,
  }
  await grantCall(
    tx,
    atCommit,
    call,
    { kind: 'none' },
    { lease: { holder: caller, ms: 0 }, input: undefined },
  )
  atCommit(useGrant(callId, payoutId))
  return callId
}

/** A failed canary pauses the rail in the transaction that records the failure; other payouts pause nothing. */
export async function pauseAfterCanary(
  deps: Deps,
  tx: Tx,
  row: PayoutRow,
  failure: string,
): Promise<void> {
  if (!isCanary(row)) return
  const actor = {
    operatorId: 'canary',
    name: 'canary',
    idempotencyKey: `${row.payout_id}.${failure}`,
  }
  const reason = `${row.idempotency_key} failed: ${failure} (${row.payout_id})`
  const issuing = { ...deps.rail, signReceipt: deps.signReceipt }
  await setControl(issuing, tx, actor, { scope: 'payouts', paused: true, reason })
  deps.log.error(
    { payoutId: row.payout_id, failure },
    'the canary failed, the payout rail is paused',
  )
}
