import type { SearchAttributePair } from '@temporalio/common'
import { searchAttributes } from '../shared/search-attributes.ts'
import type { PayoutSnapshot } from './activities.ts'

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
