import { type PayoutReceiptKind, payoutReceiptFacts } from '../workflows/domain/receipt.ts'
import type { Deps } from './deps.ts'
import { finishCall } from './store/calls.ts'
import { clockSeconds, type Tx } from './store/db.ts'
import { findTransfer, type PayoutRow, payoutAnswer, readPayout } from './store/payouts.ts'
import { appendReceipt } from './store/receipts.ts'

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
