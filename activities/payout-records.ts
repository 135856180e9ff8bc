import { type PayoutReceiptKind, payoutReceiptFacts } from '../workflows/domain/receipt.ts'
import type { Deps } from './deps.ts'
import { finishCall } from './store/calls.ts'
import { clockSeconds, type Tx } from './store/db.ts'
import { findTransfer, type PayoutRecord, type PayoutRow, payoutAnswer, requirePayout } from './store/payouts.ts'
import { appendReceipt } from './store/receipts.ts'

/** Signs and stores the receipt of a payout's transition in the transaction that makes it. */
export async function writeReceipt(
  deps: Pick<Deps, 'rail' | 'signReceipt'>,
  tx: Tx,
  kind: PayoutReceiptKind,
  row: PayoutRow,
): Promise<string> {
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

/** Stores a call's final answer in the transaction of its effect, and returns the payout as it is answered. */
export async function answerCall(
  deps: Deps,
  tx: Tx,
  { callId, payoutId }: { callId: string; payoutId: string },
  status: number,
): Promise<PayoutRecord> {
  const record = await requirePayout(tx, payoutId)
  await finishCall(tx, callId, status, payoutAnswer(record, deps.rail.environment))
  return record
}
