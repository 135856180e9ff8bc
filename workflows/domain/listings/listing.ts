import type { StateTable } from '../core/state-table.ts'
import type { Decision } from '../reviews/review.ts'

export const listingReviewStates = ['waiting', 'approved', 'rejected'] as const
export type ListingReview = (typeof listingReviewStates)[number]

/** The state table of the review of a listing: an approval can be taken back. */
export const listingTransitions: StateTable<ListingReview, Decision> = {
  waiting: { approve: 'approved', reject: 'rejected' },
  approved: { reject: 'rejected' },
  rejected: {},
}

export const badgeStates = ['none', 'quoted', 'planned', 'active', 'lapsed'] as const
export type BadgeState = (typeof badgeStates)[number]
export const badgeEvents = ['presented', 'settled', 'lapsed', 'refunded'] as const
export type BadgeEvent = (typeof badgeEvents)[number]

/** The state table of a badge; SQL has the same moves. A plan whose quote ended unpaid is quoted again. */
export const badgeTransitions: StateTable<BadgeState, BadgeEvent | 'quote' | 'plan'> = {
  none: { quote: 'quoted' },
  quoted: { quote: 'quoted', plan: 'planned' },
  planned: { quote: 'quoted', presented: 'planned', settled: 'active' },
  active: { lapsed: 'lapsed', refunded: 'none' },
  lapsed: { quote: 'quoted' },
}

/** What was found of a receipt that a listing rests on. */
export type EvidenceCheck = {
  receipt_id: string
  kind: string | null
  ok: boolean
  detail: string
}

/** Decision: receipts of what was done or used; a registration, a wallet, a payment or a free proof is no work. */
const workReceiptKinds = ['usage_receipt', 'attestation'] as const

/** `hasCompleted`: of an attestation, whether the task that it names has. */
type ReceiptFacts = {
  verified: boolean
  kind: string | null
  usage: string | null
  isOwn: boolean
  hasCompleted: boolean
}

/** A receipt counts when it verifies, is about the agent, and is of operational work that is no failure. */
export function checkEvidence(
  receipt_id: string,
  { verified, kind, usage, isOwn, hasCompleted }: ReceiptFacts,
): EvidenceCheck {
  const unmet: readonly (readonly [fails: boolean, detail: string])[] = [
    [!verified, 'it does not verify'],
    [!isOwn, 'it is not about the agent'],
    [usage !== 'operational', 'it is of no operational work'],
    [!workReceiptKinds.some((work) => work === kind), `${kind} is no receipt of work`],
    [kind === 'attestation' && !hasCompleted, 'it is of work that has not completed'],
  ]
  const fault = unmet.find(([fails]) => fails)?.[1]
  return { receipt_id, kind, ok: fault === undefined, detail: fault ?? 'it verifies' }
}
