import { formatUsdc } from '#domain/core/money.ts'
import { type PayoutReceiptKind, payoutReceiptFacts } from '#domain/receipts/receipt.ts'
import type { PayoutSnapshot } from '../../workflows/payouts/activities.ts'
import { answerCall } from '../store/calls/calls.ts'
import {
  findTransfer,
  type PayoutRecord,
  type PayoutRow,
  payoutAnswer,
  requirePayout,
  type TransferRow,
} from '../store/payouts/payouts.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import { appendReceipt, type NewReceipt } from '../store/receipts/receipts.ts'
import type { Deps } from './deps.ts'

/** The unsigned receipt of a payout's transition. */
export const payoutReceipt = (
  deps: Pick<Deps, 'rail'>,
  kind: PayoutReceiptKind,
  row: PayoutRow,
  transfer: TransferRow | undefined,
): NewReceipt => ({
  subject: row.payout_id,
  kind,
  usage: row.usage,
  environment: deps.rail.environment,
  issuer: deps.rail.issuer,
  facts: payoutReceiptFacts(kind, row, transfer),
  principal: principalOf(row),
})

const principalOf = ({
  principal_signature: signature,
  authorize_idempotency_key: key,
}: PayoutRow) =>
  signature === null || key === null ? undefined : { signature, idempotency_key: key }

/** Signs and stores the receipt of a payout's transition in the transaction that makes it. */
export async function writeReceipt(
  deps: Pick<Deps, 'rail' | 'signReceipt'>,
  tx: Tx,
  kind: PayoutReceiptKind,
  row: PayoutRow,
): Promise<string> {
  const [transfer, now] = await Promise.all([findTransfer(tx, row.payout_id), clockSeconds(tx)])
  return appendReceipt(
    tx,
    deps.signReceipt,
    payoutReceipt(deps, kind, row, transfer),
    Math.floor(now),
  )
}

/** Stores the final answer of a call in the transaction of its effect, and returns the answered payout. */
export async function answerPayoutCall(
  deps: Deps,
  tx: Tx,
  { callId, payoutId }: { callId: string; payoutId: string },
  status: number,
): Promise<PayoutRecord> {
  const record = await requirePayout(tx, payoutId)
  await answerCall(callId, payoutId, status, payoutAnswer(record, deps.rail.environment)).run(tx)
  return record
}

/** The state of a payout for its workflow, returned by each step. */
export function snapshotOf(
  deps: Deps,
  { payout, transfer, receipts }: PayoutRecord,
): PayoutSnapshot {
  const expiresAt = payout.expires_at === null ? null : Number(payout.expires_at)
  return {
    payoutId: payout.payout_id,
    state: payout.state,
    creator: payout.creator,
    recipient: payout.recipient,
    amountUsdc: formatUsdc(BigInt(payout.amount_atomic)),
    usage: payout.usage,
    environment: deps.rail.environment,
    expiresAt,
    transfer: transfer?.status ?? 'none',
    transactionHash: transfer?.transaction_hash ?? null,
    parked: transfer?.parked ?? null,
    exception: transfer?.exception ?? null,
    receipts: receipts.map((row) => ({ kind: row.kind, receiptId: row.receipt_id })),
    idleMs:
      payout.state === 'created' || expiresAt === null
        ? deps.rail.createdLifeMs
        : Math.max(0, expiresAt * 1000 - Date.now()),
  }
}
