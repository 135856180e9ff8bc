import { formatUsdc } from '#domain/core/money.ts'
import type { PayoutSnapshot } from '../../workflows/payouts/activities.ts'
import type { PayoutRecord } from '../store/payouts/payouts.ts'
import type { Deps } from './deps.ts'

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
