import { heartbeat } from '@temporalio/activity'
import type {
  PayoutSnapshot,
  SigningSteps,
  TransferSteps,
} from '../../workflows/payouts/activities.ts'
import { encodeTransfer, type TokenAuthorization } from '../chain/authorization.ts'
import { type Included, type Outcome, searchFrom, soughtOf } from '../chain/outcome.ts'
import { refundCall } from '../store/calls/calls.ts'
import {
  findTransfer,
  lockPayout,
  markExecuted,
  type PayoutRow,
  readPayout,
  requirePayout,
  type TransferRow,
} from '../store/payouts/payouts.ts'
import {
  dailyUseWith,
  type ProofOfDeath,
  recordDead,
  recordException,
  recordFromBlock,
  recordInclusion,
  recordParked,
  recordSignature,
  recordSubmitted,
  recordVanishedBlock,
} from '../store/payouts/transfers.ts'
import { notifyChanged } from '../store/postgres/changes.ts'
import { transaction } from '../store/postgres/db.ts'
import { annotate } from '../tracing/spans.ts'
import { addPayoutCallback } from './callbacks.ts'
import { isCanary, pauseAfterCanary } from './canary.ts'
import type { Deps, Signer } from './deps.ts'
import { answerPayoutCall, snapshotOf, writeReceipt } from './records.ts'
import type { SignedTransfer, SigningOrder } from './signing-rules.ts'

/** Sends the stored authorization and finds its outcome. */
export function createTransferSteps(deps: Deps): TransferSteps {
  return {
    submitTransfer: async (payoutId) => {
      const transfer = await findTransfer(deps.db, payoutId)
      if (
        transfer !== undefined &&
        (transfer.status === 'signed' || transfer.status === 'submitted')
      )
        await submit(deps, transfer)
      return snapshot(deps, payoutId)
    },
    confirmTransfer: async (payoutId) => {
      const until = performance.now() + deps.rail.confirmWindowMs
      for (;;) {
        const transfer = await findTransfer(deps.db, payoutId)
        if (transfer !== undefined && (await confirm(deps, transfer)))
          return snapshot(deps, payoutId)
        // A parked transfer must be sent first, so its wake need not wait for the end of the window.
        if (transfer?.parked != null || performance.now() >= until) return snapshot(deps, payoutId)
        heartbeat()
        await deps.chain.news()
      }
    },
  }
}

/** A newly reserved transfer with its signature, or parked if the signer withholds it. */
export async function signedTransfer(
  order: SigningOrder & { transfer: TransferRow },
  signer: Signer,
): Promise<TransferRow> {
  const signing = await signer.sign(order)
  if ('withheld' in signing) return { ...order.transfer, parked: withheldText(signing.withheld) }
  return { ...order.transfer, status: 'signed', signature: signing.signature }
}

/** Signs a transfer that a process without the key has reserved. Only the row stores the signature. */
export function createSigningSteps(deps: Pick<Deps, 'db'>, signer: Signer): SigningSteps {
  return {
    signTransfer: async (payoutId) => {
      const record = await readPayout(deps.db, payoutId)
      const { payout, transfer } = record ?? {}
      if (payout === undefined || transfer === undefined || transfer.signature !== null) return
      const inUse = await dailyUseWith(deps.db, transfer, signer.dailyCapAtomic)
      const signing = await signer.sign({ payout, transfer, inUse })
      if ('signature' in signing) return recordSignature(deps.db, payoutId, signing.signature)
      const parked = withheldText(signing.withheld)
      if (transfer.parked !== parked) await recordParked(deps.db, payoutId, parked)
    },
  }
}

const withheldText = (reason: string) =>
  `the signer withholds its signature: ${reason}; create a new payout, this one dies when it expires`

export function authorizationOf(transfer: Omit<SignedTransfer, 'payout_id'>): TokenAuthorization {
  return {
    from: transfer.wallet as `0x${string}`,
    to: transfer.recipient as `0x${string}`,
    value: BigInt(transfer.amount_atomic),
    validAfter: BigInt(transfer.valid_after),
    validBefore: BigInt(transfer.valid_before),
    nonce: transfer.nonce as `0x${string}`,
  }
}

const HELD_UP_ACT =
  'see that the chain makes blocks and a gas wallet has ether; one that moves takes the transfer over'

async function submit(deps: Deps, transfer: TransferRow): Promise<void> {
  const payoutId = transfer.payout_id
  const authorization = authorizationOf(transfer)
  const signature = transfer.signature as `0x${string}`
  const check = await deps.preflight(authorization, signature)
  if (check.kind === 'parked')
    return recordParked(deps.db, payoutId, `${check.reason}; ${check.unblock}`)
  // The confirmation handles a used nonce; sending it again could only revert.
  if (check.kind === 'used') return
  heartbeat()
  await recordFromBlock(deps.db, payoutId, searchFrom(await deps.chain.head()))
  const { txHash, heldUp } = await deps.gasWalletQueue.submit(`payout:${payoutId}`, {
    to: deps.rail.asset,
    data: encodeTransfer(authorization, signature),
    gas: deps.rail.transferGas,
  })
  const parked =
    heldUp &&
    `gas wallet ${heldUp.wallet} has not moved since ${heldUp.since.toISOString()}; ${HELD_UP_ACT}`
  await recordSubmitted(deps.db, payoutId, txHash, parked ?? null)
}

/** Reads the outcome once; true if the workflow has something to do. */
async function confirm(deps: Deps, transfer: TransferRow): Promise<boolean> {
  const payoutId = transfer.payout_id
  const { status, block_number, block_hash } = transfer
  const seen = status === 'included' && block_number !== null && block_hash !== null
  const seenIn = seen ? { number: BigInt(block_number), hash: block_hash } : undefined
  const outcome: Outcome = await deps.findOutcome(authorizationOf(transfer), {
    ...soughtOf(transfer),
    seenIn,
  })
  switch (outcome.kind) {
    case 'included':
      return include(deps, transfer, outcome)
    case 'dead':
      await bury(deps, payoutId, outcome)
      return true
    case 'conflict':
      // Until the conflict is final, a reorg may undo it, and our transfer is paid after all.
      if (!outcome.finalized) return false
      await hold(deps, payoutId, 'nonce_conflict')
      return true
    case 'unknown':
      if (outcome.code !== 'unused' || transfer.status !== 'included') return false
      // The including block is gone and the nonce proven unused: the same authorization is sent again.
      await recordVanishedBlock(deps.db, payoutId)
      return true
  }
}

async function include(deps: Deps, transfer: TransferRow, outcome: Included): Promise<boolean> {
  const status = outcome.finalized ? 'final' : 'included'
  const known = transfer.status === 'included' && transfer.block_hash === outcome.blockHash
  if (known && status === 'included') return false
  annotate({ 'blockchain.transaction.hash': outcome.transactionHash })
  await recordExecution(deps, transfer.payout_id, outcome, status)
  return true
}

/** `executed` with its receipt, the call's answer and, once the block is final, the second receipt: one transaction. */
async function recordExecution(
  deps: Deps,
  payoutId: string,
  block: Included,
  status: 'included' | 'final',
): Promise<void> {
  const callback = await transaction(deps.db, async (tx) => {
    const before = await lockPayout(tx, payoutId)
    const transfer = await recordInclusion(tx, payoutId, block, 'included')
    if (before === undefined || transfer === undefined) return undefined
    const row = (await markExecuted(tx, payoutId)) ?? before
    await writeReceipt(deps, tx, 'payout_executed', row)
    await answerPayoutCall(deps, tx, { callId: transfer.call_id, payoutId }, 200)
    if (status === 'final') {
      await recordInclusion(tx, payoutId, block, 'final')
      await writeReceipt(deps, tx, 'payout_final', row)
    }
    await notifyChanged(tx, payoutId)
    return addPayoutCallback(tx, row)
  })
  if (callback !== undefined) await deps.startCallback(callback)
}

/** Proven dead: releases the cap, gives the fee back as a credit, and writes a receipt that no money moved. */
async function bury(deps: Deps, payoutId: string, proof: ProofOfDeath): Promise<void> {
  const { reason } = proof
  const callback = await transaction(deps.db, async (tx) => {
    const row = await lockPayout(tx, payoutId)
    const executed = row?.state === 'executed'
    const exception = exceptionOfDead(row, reason)
    const transfer = await recordDead(tx, { payoutId, exception }, proof)
    if (row === undefined || transfer === undefined) return undefined
    await writeReceipt(deps, tx, executed ? 'payout_voided' : 'payout_dead', row)
    await refundCall(tx, transfer.call_id)
    await pauseAfterCanary(deps, tx, row, reason)
    await notifyChanged(tx, payoutId)
    return addPayoutCallback(tx, row)
  })
  if (callback !== undefined) await deps.startCallback(callback)
}

function exceptionOfDead(row: PayoutRow | undefined, reason: string): string | null {
  if (row?.state === 'executed') return `voided: ${reason}`
  if (row !== undefined && isCanary(row)) return 'canary_failed'
  return null
}

/** Only an operator can resolve this, so the cap stays in use. */
async function hold(deps: Deps, payoutId: string, exception: string): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const row = await lockPayout(tx, payoutId)
    await recordException(tx, payoutId, exception)
    if (row !== undefined) await pauseAfterCanary(deps, tx, row, exception)
  })
}

async function snapshot(deps: Deps, payoutId: string): Promise<PayoutSnapshot> {
  return snapshotOf(deps, await requirePayout(deps.db, payoutId))
}
