import type { Difference } from '#domain/core/difference.ts'
import { isGood } from '#domain/receipts/key-standing.ts'
import { payoutReceiptFacts, RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import type { ProvenOutcome, SeenReceipt, SeenTransfer } from '#domain/reconciliation/findings.ts'
import { comparePayout } from '#domain/reconciliation/reconciliation.ts'
import { type Outcome, soughtOf } from '../chain/outcome.ts'
import { verifyCompact } from '../keys/compact.ts'
import { keyTimes } from '../keys/published-key.ts'
import { isCanary } from '../payouts/canary.ts'
import { authorizationOf } from '../payouts/transfer.ts'
import { listPublicKeys, type SigningKeyRow } from '../store/keys/signing-keys.ts'
import type { PayoutRow, TransferRow } from '../store/payouts/payouts.ts'
import {
  readPayouts,
  type StoredPayout,
  type StoredReceipt,
} from '../store/reconciliation/findings.ts'
import { compareEach, type ReconciliationDeps } from './deps.ts'
import { findDone } from './find-done.ts'

/** Compares these payouts with the chain, their receipts, their calls and their workflows. */
export async function checkPayouts(
  deps: ReconciliationDeps,
  ids: readonly string[],
): Promise<Difference[]> {
  const stored = await readPayouts(deps.db, ids)
  const keys = (await listPublicKeys(deps.db)).filter(({ ring }) => ring === 'receipt')
  return compareEach(stored, (one) => checkPayout(deps, keys, one))
}

async function checkPayout(
  deps: ReconciliationDeps,
  keys: readonly SigningKeyRow[],
  { payout, transfer, receipts, calls }: StoredPayout,
): Promise<Difference[]> {
  const { findOutcome, watch } = deps
  const paid = transfer?.status === 'included' || transfer?.status === 'final'
  const underWay =
    transfer !== undefined && transfer.status !== 'final' && transfer.status !== 'dead'
  const search = async (row: TransferRow) =>
    provenBy(await findOutcome(authorizationOf(row), soughtOf(row)))
  return comparePayout({
    payout: { payoutId: payout.payout_id, state: payout.state, facts: lastingFacts(payout) },
    transfer: transfer === undefined ? null : seenTransfer(transfer),
    receipts: receipts.map((row) => seenReceipt(keys, row)),
    // A canary belongs to the service and is free.
    calls: isCanary(payout) ? null : calls,
    transaction: paid ? await findDone(deps, transfer, authorizationOf(transfer)) : null,
    outcome: paid || transfer === undefined ? null : await search(transfer),
    workflow: underWay ? await watch.see(payout.payout_id) : null,
  })
}

/** What every receipt of a payout says the same, whenever it was signed. */
function lastingFacts(payout: PayoutRow): Record<string, unknown> {
  const {
    state: _now,
    mandate_ref: _later,
    expires_at: _too,
    ...facts
  } = payoutReceiptFacts('payout_created', payout, undefined)
  return facts
}

function seenTransfer(row: TransferRow): SeenTransfer {
  return {
    status: row.status,
    from: row.wallet,
    to: row.recipient,
    amountAtomic: row.amount_atomic,
    nonce: row.nonce,
    transactionHash: row.transaction_hash,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    blockTime: row.block_time === null ? null : row.block_time.getTime() / 1000,
  }
}

function seenReceipt(keys: readonly SigningKeyRow[], row: StoredReceipt): SeenReceipt {
  const { receipt_id: receiptId, seq, kind, prev, jws } = row
  const key = keys.find(({ kid }) => kid === row.kid)
  try {
    if (key === undefined) throw new TypeError('no such key')
    const payload = verifyCompact(jws, {
      typ: RECEIPT_TYP,
      alg: 'EdDSA',
      publicJwk: key.public_jwk,
    })
    const times = { issuedAt: Number(payload['iat']), storedAt: row.issued_at.getTime() / 1000 }
    if (!isGood(keyTimes(key), times)) throw new TypeError('its key does not stand for it')
    return { receiptId, seq, kind, prev, jws, payload }
  } catch {
    return { receiptId, seq, kind, prev, jws, payload: null }
  }
}

/** What is proven for good: a transfer in a block that may still vanish is open. Throws when a node does not answer. */
export function provenBy(outcome: Outcome): ProvenOutcome {
  switch (outcome.kind) {
    case 'included':
      return outcome.finalized
        ? { kind: 'paid', transactionHash: outcome.transactionHash }
        : { kind: 'open' }
    case 'conflict':
      return outcome.finalized
        ? { kind: 'conflict', transactionHash: outcome.transactionHash }
        : { kind: 'open' }
    case 'dead':
      return { kind: 'dead', reason: outcome.reason }
    case 'unknown':
      if (outcome.code === 'unreachable') throw new Error(outcome.reason)
      if (outcome.code === 'unused') return { kind: 'open' }
      return { kind: 'unproven', reason: outcome.reason }
  }
}
