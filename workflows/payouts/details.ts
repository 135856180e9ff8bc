import { markdownCode } from '#domain/core/plain-text.ts'
import { payoutWait } from '#domain/payouts/wait.ts'
import { detailsOf } from '../shared/details.ts'
import type { PayoutSnapshot } from './activities.ts'

/** `Payout 12.50 USDC → 0xab…cd (synthetic)`: the line an operator sees in the workflow list. */
export function payoutSummary(payout: {
  amountUsdc: string
  recipient: string
  usage: string
}): string {
  return `Payout ${payout.amountUsdc} USDC → ${payout.recipient.slice(0, 6)}…${payout.recipient.slice(-4)} (${payout.usage})`
}

/** Markdown for the Temporal UI: terms, state, what the payout waits for at this time, the required action, receipts. */
export function payoutDetails(payout: PayoutSnapshot, nowMs: number): string {
  const mark = (state: string) => (state === payout.state ? `**${state}**` : state)
  const expired = payout.expiresAt !== null && payout.expiresAt * 1000 <= nowMs
  const expiry = payout.expiresAt === null ? '–' : new Date(payout.expiresAt * 1000).toISOString()
  return detailsOf({
    title: payoutSummary(payout),
    rows: [
      ['state', ['created', 'authorized', 'executed'].map(mark).join(' → ')],
      ['transfer', payout.transfer],
      ['transaction', payout.transactionHash ?? '–'],
      ['recipient', payout.recipient],
      ['creator', payout.creator],
      ['expires', expiry],
      ['environment', payout.environment],
      ['blocked', payout.parked === null ? '–' : markdownCode(payout.parked)],
      ['exception', payout.exception ?? payout.difference ?? '–'],
    ],
    wait: payoutWait({ ...payout, expired }),
    more: [
      '**Receipts**',
      '',
      ...payout.receipts.map(({ kind, receiptId }) => `- ${kind}: ${receiptId}`),
    ],
  })
}
