import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  SearchAttributeType,
  type SearchAttributeUpdatePair,
} from '@temporalio/common'
import type { PayoutSnapshot } from './payout/ports.ts'
import type { TaskSnapshot } from './task/ports.ts'

/** What operators filter by in the Temporal UI, shared by all workflows (payout.md; a namespace on SQL has ten Keywords at most). */
export const searchAttributes = {
  State: defineSearchAttributeKey('State', SearchAttributeType.KEYWORD),
  Usage: defineSearchAttributeKey('Usage', SearchAttributeType.KEYWORD),
  Wallet: defineSearchAttributeKey('Wallet', SearchAttributeType.KEYWORD),
  Rail: defineSearchAttributeKey('Rail', SearchAttributeType.KEYWORD),
  AgentId: defineSearchAttributeKey('AgentId', SearchAttributeType.KEYWORD),
  ExceptionCode: defineSearchAttributeKey('ExceptionCode', SearchAttributeType.KEYWORD),
  /** The summary of the workflow, which lists do not show otherwise. */
  Summary: defineSearchAttributeKey('Summary', SearchAttributeType.KEYWORD),
  NeedsAttention: defineSearchAttributeKey('NeedsAttention', SearchAttributeType.BOOL),
} as const

type Filtered = Pick<PayoutSnapshot, 'state' | 'usage' | 'creator' | 'parked' | 'exception' | 'transfer' | 'difference'>

/** A payout's attributes; `State` shows `dead` for a transfer that can never happen. */
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

/** States in which a task waits for a person. */
export const attended = ['trust_pending', 'exception_open', 'replay_ready', 'evidence_partial']

/** The states that only somebody else ends; in the others a task goes on by itself, in time or once it has all that it needs. */
export const endedByOthers = [...attended, 'preflight_checked', 'trusted', 'closed']

type Attended = Pick<TaskSnapshot, 'state' | 'isReviewed' | 'review'>

/** Whether a task waits for a person, who may have to review the result of its run. */
export const needsAttention = ({ state, isReviewed, review }: Attended): boolean =>
  attended.includes(state) || (state === 'credit_funded' && !isReviewed) || review !== null

/** A task's attributes, null for one that is not there any more. */
export function taskAttributes(
  task: Pick<TaskSnapshot, 'state' | 'usage' | 'rail' | 'agentId' | 'isReviewed' | 'review'> & {
    exception: { code: string } | null
  },
): SearchAttributeUpdatePair[] {
  return [
    { key: searchAttributes.State, value: task.state },
    { key: searchAttributes.Usage, value: task.usage },
    { key: searchAttributes.Rail, value: task.rail },
    { key: searchAttributes.AgentId, value: task.agentId },
    { key: searchAttributes.ExceptionCode, value: task.exception?.code ?? null },
    { key: searchAttributes.NeedsAttention, value: needsAttention(task) },
  ]
}
