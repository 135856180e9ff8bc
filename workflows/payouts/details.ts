import type { SearchAttributePair } from '@temporalio/common'
import { markdownCode } from '#domain/core/plain-text.ts'
import { payoutWait } from '#domain/payouts/wait.ts'
import { detailsOf } from '../shared/details.ts'
import { searchAttributes } from '../shared/search-attributes.ts'
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

type Filtered = Pick<
  PayoutSnapshot,
  'state' | 'usage' | 'creator' | 'parked' | 'exception' | 'transfer' | 'difference'
>

/** A payout's search attributes; `State` shows `dead` for a transfer that can never happen. */
export function payoutAttributes(payout: Filtered): SearchAttributePair[] {
  const code = payout.exception ?? payout.difference ?? null
  const pairs: SearchAttributePair[] = [
    { key: searchAttributes.State, value: payout.transfer === 'dead' ? 'dead' : payout.state },
    { key: searchAttributes.Usage, value: payout.usage },
    { key: searchAttributes.Wallet, value: payout.creator },
    { key: searchAttributes.Rail, value: 'payout' },
    { key: searchAttributes.NeedsAttention, value: payout.parked !== null || code !== null },
  ]
  if (code !== null) pairs.push({ key: searchAttributes.ExceptionCode, value: code })
  return pairs
}
