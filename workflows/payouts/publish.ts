import type { SearchAttributeUpdatePair } from '@temporalio/common'
import * as wf from '@temporalio/workflow'
import { searchAttributes } from '../shared/search-attributes.ts'
import { newTraces } from '../shared/trace.ts'
import type { PayoutSnapshot } from './activities.ts'
import { payoutAttributes } from './attributes.ts'
import { payoutDetails } from './details.ts'

/**
 * Shows the payout in the UI. Attributes are written only if one has changed, because each write is a fifth of the server's work
 * for a payout. In a young run `authorized` alone is not written, because most payouts are executed immediately,
 * and neither are new traces alone.
 */
export function publish(snapshot: PayoutSnapshot, isYoung: boolean): void {
  wf.setCurrentDetails(payoutDetails(snapshot, Date.now()))
  const current = wf.workflowInfo().typedSearchAttributes
  const changed: SearchAttributeUpdatePair[] = payoutAttributes(snapshot).filter(
    ({ key, value }) => current.get(key) !== value,
  )
  const { ExceptionCode } = searchAttributes
  const isOver =
    snapshot.exception === null &&
    snapshot.difference === null &&
    current.get(ExceptionCode) !== undefined
  if (isOver) changed.push({ key: ExceptionCode, value: null })
  const canWait = isYoung && changed.every(({ value }) => value === 'authorized')
  changed.push(...newTraces())
  if (changed.length > 0 && !canWait) wf.upsertSearchAttributes(changed)
}
