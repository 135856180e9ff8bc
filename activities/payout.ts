import { DomainError, type Refusal, refuse } from '../workflows/domain/errors.ts'
import { transferNonce } from '../workflows/domain/ids.ts'
import { limits } from '../workflows/domain/limits.ts'
import {
  allowedPayoutEvents,
  nextPayoutState,
  type PayoutEvent,
  termsDigest,
  type Usage,
} from '../workflows/domain/payout.ts'
import { type PayoutReceiptKind, payoutReceiptFacts } from '../workflows/domain/receipt.ts'
import type { PayoutSteps, StepInput, StepResult } from '../workflows/payout/ports.ts'
import { verifyAuthorization } from './authorization.ts'
import type { Deps } from './deps.ts'
import { snapshotOf } from './payout-snapshot.ts'
import { claimGrant, finishCall } from './store/calls.ts'
import { findPause } from './store/controls.ts'
import { clockSeconds, type Tx, transaction } from './store/db.ts'
import { hasUnsettledCharge } from './store/payments.ts'
import {
  findTransfer,
  insertPayout,
  lockPayout,
  markAuthorized,
  type PayoutRow,
  payoutAnswer,
  readPayout,
} from './store/payouts.ts'
import { appendReceipt } from './store/receipts.ts'
import { consumeKeys } from './store/replay-ledger.ts'
import { readStaged } from './store/staged-inputs.ts'
import { dailyUse, insertReservation, lockDailyCap } from './store/transfers.ts'

export type StagedCreate = {
  creator: string
  recipient: string
  amount_atomic: string
  memo: string
  rail_reference: string
  usage: Usage
  idempotency_key: string
}
export type StagedAuthorize = {
  creator: string
  payout_id: string
  idempotency_key: string
  presentation: string
  challenge_token: string
  expires_at: number
  principal_signature: string
}

/** The short durable steps of a payout: each one transaction, each the same when it runs twice. */
export function createPayoutSteps(deps: Deps): PayoutSteps {
  return {
    loadPayout: async (payoutId) => {
      const record = await readPayout(deps.db, payoutId)
      return record === undefined ? null : snapshotOf(deps, record)
    },
    createPayout: (input) => step(() => createPayout(deps, input)),
    authorizePayout: (input) => step(() => authorizePayout(deps, input)),
    reserveTransfer: (input) => step(() => reserveTransfer(deps, input)),
  }

  async function step(run: () => Promise<string>): Promise<StepResult> {
    try {
      const record = await readPayout(deps.db, await run())
      if (record === undefined) throw new Error('a payout that was just written is not there')
      return { ok: true, snapshot: snapshotOf(deps, record) }
    } catch (error) {
      // A refusal is a result: Temporal would remember a thrown one for the run, and retry nothing.
      if (error instanceof DomainError) return { ok: false, refusal: error.refusal }
      throw error
    }
  }
}

async function createPayout(deps: Deps, { payoutId, callId, staged }: StepInput): Promise<string> {
  const input = await stagedInput<StagedCreate>(deps.db, staged)
  const { asset, payoutWallet } = deps.rail
  const terms_sha256 = termsDigest({ ...input, asset })
  await transaction(deps.db, async (tx) => {
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
    await answerCall(deps, tx, callId, 201, payoutId)
  })
  return payoutId
}

async function authorizePayout(deps: Deps, { payoutId, callId, staged }: StepInput): Promise<string> {
  const input = await stagedInput<StagedAuthorize>(deps.db, staged)
  const seen = ownPayout((await readPayout(deps.db, payoutId))?.payout, input.creator)
  const bound = isSameAuthorization(seen, input, staged)
    ? null
    : await verifyAuthorization(deps, openFor('authorize', seen), input)
  await transaction(deps.db, async (tx) => {
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
    await answerCall(deps, tx, callId, 200, payoutId)
  })
  return payoutId
}

async function reserveTransfer(
  deps: Deps,
  { payoutId, callId }: { payoutId: string; callId: string },
): Promise<string> {
  await transaction(deps.db, async (tx) => {
    const row = await lockPayout(tx, payoutId)
    if (row === undefined) throw unknownPayout()
    if ((await findTransfer(tx, payoutId)) !== undefined) return claimGrant(tx, callId, payoutId)
    await lockDailyCap(tx, row.payout_wallet)
    const expiresAt = await assertExecutable(tx, row)
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
  return payoutId
}

/**
 * Refuses what may not be reserved now: wrong state, under 30 s of life, an unsettled charge, a pause, the daily cap.
 * Returns the expiry in Unix seconds. The cap is exact only under `lockDailyCap`.
 */
export async function assertExecutable(tx: Tx, row: PayoutRow): Promise<number> {
  const expiresAt = Number(openFor('execute', row).expires_at)
  if (expiresAt - (await clockSeconds(tx)) < limits.executeLifeSecondsMin) {
    throw refuse(
      'payout_expired',
      `less than ${limits.executeLifeSecondsMin} s of life are left`,
      'Create and authorize a new payout.',
    )
  }
  await assertNoUnsettledCharge(tx, row)
  const pause = await findPause(tx, row.creator, row.payout_id)
  if (pause !== undefined)
    throw refuse('paused', `paused by an operator: ${pause}`, 'Repeat the call later.', { retry_after_ms: 30_000 })
  await assertUnderDailyCap(tx, row)
  return expiresAt
}

/** The row, if the state table allows the event now; otherwise 409 `wrong_state` naming the events allowed. */
function openFor(event: PayoutEvent, row: PayoutRow): PayoutRow {
  if (nextPayoutState(row.state, event) !== undefined) return row
  const allowed = allowedPayoutEvents(row.state)
  throw refuse(
    'wrong_state',
    `the payout is ${row.state}`,
    allowed.length === 0 ? 'Read the payout status.' : `Allowed now: ${allowed.join(', ')}.`,
    {
      extra: { state: row.state, allowed_events: allowed },
    },
  )
}

async function assertUnderDailyCap(tx: Tx, row: PayoutRow): Promise<void> {
  const { atomic, freesInMs } = await dailyUse(tx, row.payout_wallet)
  if (atomic + BigInt(row.amount_atomic) <= limits.dailyCapAtomic) return
  throw refuse(
    'daily_cap_exceeded',
    `${atomic} of ${limits.dailyCapAtomic} atomic units are in use`,
    'Repeat the call when the cap frees up.',
    {
      retry_after_ms: Math.max(1000, freesInMs ?? 60_000),
    },
  )
}

/** A payout with an unsettled charge takes no further step (payout.md, Price gate). */
async function assertNoUnsettledCharge(tx: Tx, row: PayoutRow): Promise<void> {
  if (!(await hasUnsettledCharge(tx, `wallet:${row.creator}`, row.payout_id))) return
  throw refuse(
    'settlement_pending',
    'an earlier call on this payout is not settled yet',
    'Repeat the earlier call first, then this one.',
    {
      money_moved: 'unknown',
      retry_after_ms: 1000,
    },
  )
}

/** The row, if it is there and the caller's; anything else is the same 404. */
export function ownPayout(row: PayoutRow | undefined, creator: string): PayoutRow {
  if (row === undefined || row.creator !== creator) throw unknownPayout()
  return row
}

export const unknownPayout = () =>
  refuse('not_found', 'no such payout of this wallet', 'Check the payout id and the wallet that signs.')

const isSameAuthorization = (row: PayoutRow, input: StagedAuthorize, fingerprint: string): boolean =>
  row.authorize_idempotency_key === input.idempotency_key && row.authorize_fingerprint === fingerprint

const consumedCodes = {
  presentation: 'presentation_consumed',
  kb_nonce: 'presentation_consumed',
  principal_digest: 'presentation_consumed',
  challenge_jti: 'challenge_consumed',
  mandate: 'mandate_consumed',
} as const

/** The refusal for a replay key that was used before. */
export const consumed = (kind: keyof typeof consumedCodes) =>
  refuse(consumedCodes[kind], 'it was used before', 'Ask for a new challenge and mandate and present those.')

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

/** Signs and stores the receipt of a payout's transition in the transaction that makes it. */
export async function writeReceipt(deps: Deps, tx: Tx, kind: PayoutReceiptKind, row: PayoutRow): Promise<string> {
  const transfer = await findTransfer(tx, row.payout_id)
  const receipt = {
    subject: row.payout_id,
    kind,
    usage: row.usage,
    environment: deps.rail.environment,
    issuer: deps.rail.issuer,
    facts: payoutReceiptFacts(kind, row, transfer),
  }
  return appendReceipt(tx, deps.signReceipt, receipt, Math.floor(await clockSeconds(tx)))
}

/** Stores a call's final answer in the transaction of its effect. */
export async function answerCall(deps: Deps, tx: Tx, callId: string, status: number, payoutId: string): Promise<void> {
  const record = await readPayout(tx, payoutId)
  if (record !== undefined) await finishCall(tx, callId, status, payoutAnswer(record, deps.rail.environment))
}
