import { type Complaint, groupBy, type TransferFact, type Verdict } from './facts.ts'

/** payout-and-trust, Payout pricing and caps. */
const DAILY_CAP_ATOMIC = 100_000_000n
const DAY_MS = 24 * 3600 * 1000

/**
 * At no reservation was the sum of what counted over the cap: everything reserved by then, but for what had been proven
 * dead and what was confirmed in a block over a day old.
 */
export const checkCap: Verdict = ({ store }) => {
  const buried = new Map(
    store.receipts
      .filter(({ kind }) => kind === 'payout_dead' || kind === 'payout_voided')
      .map(({ subject, issued_ms }) => [subject, issued_ms]),
  )
  const counts = (transfer: TransferFact, now: number) =>
    transfer.reserved_ms <= now &&
    now < (buried.get(transfer.payout_id) ?? Number.POSITIVE_INFINITY) &&
    now < (transfer.block_ms ?? Number.POSITIVE_INFINITY) + DAY_MS
  return [...groupBy(store.transfers, ({ wallet }) => wallet).values()].flatMap((transfers) =>
    transfers.flatMap((reserved): Complaint[] => {
      const counted = transfers.filter((transfer) => counts(transfer, reserved.reserved_ms))
      const sum = counted.reduce((total, { amount_atomic }) => total + BigInt(amount_atomic), 0n)
      if (sum <= DAILY_CAP_ATOMIC) return []
      const evidence = { sum, reserved, counted: counted.length }
      return [
        {
          as: 'disagreements',
          what: 'the daily cap was exceeded',
          evidence,
          payoutId: reserved.payout_id,
        },
      ]
    }),
  )
}
