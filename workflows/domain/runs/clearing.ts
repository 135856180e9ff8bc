import type { RunUsage } from '../core/usage.ts'
import type { RailKey } from '../rails/rail.ts'
import type { Judgement } from '../reviews/evidence.ts'
import type { TaskState } from '../tasks/lifecycle.ts'

export const clearingDecisions = ['cleared', 'retry', 'human_review', 'blocked'] as const
export type ClearingDecision = (typeof clearingDecisions)[number]
/** What the return package of a run proves: `partial` is of what there was, `invalid` is not as it was signed. */
export const proofStates = ['missing', 'partial', 'proven', 'invalid'] as const
type ProofState = (typeof proofStates)[number]
export const clearingChecks = [
  'run',
  'package',
  'receipts',
  'payment',
  'obligation',
  'policy',
] as const
type ClearingCheckName = (typeof clearingChecks)[number]
/** `open` may pass later, `review` is for a person, and `failed` never passes. */
export const clearingOutcomes = ['passed', 'open', 'review', 'failed'] as const
type Outcome = (typeof clearingOutcomes)[number]
export type ClearingCheck = { check: ClearingCheckName; outcome: Outcome; detail: string }

/** What is to be cleared, in the words of the caller, and the scope that it has to keep to. */
export type ClearingAsked = {
  obligation: { statement: string; due_at: string | null; amount_usd: number | null }
  policy_scope: { rails: RailKey[] | null; amount_usd_max: number | null; data: string | null }
}
/** The records that a clearing is about, with the digest of all of them and of the checks. */
export type ClearingEnvelope = {
  run_id: string
  usage: RunUsage
  task_state: TaskState
  ledger_head: string
  ledger_entries: number
  contract_id: string | null
  terms_sha256: string | null
  return_package_id: string | null
  manifest_sha256: string | null
  proof_hash: string | null
  settlement_receipt_id: string | null
  usage_receipt_id: string | null
  envelope_sha256: string
}

/** The records of a run at one head of its ledger; times are in Unix seconds. */
export type ClearingFacts = {
  readonly usage: RunUsage
  readonly rail: string
  readonly state: TaskState
  /** Whether the run ended without a result. */
  readonly failed: boolean
  /** The price that was quoted; null before there is a quote. */
  readonly priceUsd: number | null
  readonly package: {
    readonly partial: boolean
    readonly faults: readonly string[]
    readonly madeAt: number
  } | null
  readonly receipts: { readonly settlement: boolean; readonly usage: boolean }
  readonly payment: { readonly state: string; readonly amountUsd: number } | null
  readonly obligation: {
    readonly statement: string
    readonly amountUsd: number | null
    readonly dueAt: number | null
  }
  /** What the accepted contract of the run promises, and how its criteria were judged; null without one. */
  readonly promised: {
    readonly by: string
    readonly scope: readonly string[]
    readonly criteria: readonly Pick<Judgement, 'criterion' | 'verdict'>[]
  } | null
  readonly policy: {
    readonly rails: readonly string[] | null
    readonly maxUsd: number | null
    /** Whether the caller limits the data in words, which no record answers. */
    readonly limitsData: boolean
  }
  readonly now: number
}

export type Clearing = {
  readonly decision: ClearingDecision
  readonly proofState: ProofState
  readonly checks: readonly ClearingCheck[]
}

type Judged = readonly [outcome: Outcome, detail: string]

/** A check with every fault that it found: the worst one is its outcome. */
function judge(found: readonly (Judged | false)[], passed: string): Judged {
  const faults = found.filter((one) => one !== false)
  const outcome = (['failed', 'review', 'open'] as const).find((worst) =>
    faults.some(([has]) => has === worst),
  )
  return [outcome ?? 'passed', faults.map(([, detail]) => detail).join('; ') || passed]
}

/** Blocked by what never passes, reviewed for what waiting does not change, retried for what is not there yet, else cleared. */
export function clear(facts: ClearingFacts): Clearing {
  const judged: Record<ClearingCheckName, Judged> = {
    run: runOf(facts),
    package: packageOf(facts),
    receipts: receiptsOf(facts),
    payment: paymentOf(facts),
    obligation: obligationOf(facts),
    policy: policyOf(facts),
  }
  const checks = clearingChecks.map((check) => {
    const [outcome, detail] = judged[check]
    return { check, outcome, detail }
  })
  const has = (outcome: Outcome) => checks.some((one) => one.outcome === outcome)
  let decision: ClearingDecision = 'cleared'
  if (has('failed')) decision = 'blocked'
  else if (has('review')) decision = 'human_review'
  else if (has('open')) decision = 'retry'
  return { decision, proofState: proofOf(facts), checks }
}

function proofOf({ package: made }: ClearingFacts): ProofState {
  if (made === null) return 'missing'
  if (made.faults.length > 0) return 'invalid'
  return made.partial ? 'partial' : 'proven'
}

function runOf({ state, failed }: ClearingFacts): Judged {
  if (failed) return ['failed', 'the run ended without a result']
  return state === 'closed' ? ['passed', 'the run closed'] : ['open', `the task is ${state}`]
}

function packageOf({ package: made }: ClearingFacts): Judged {
  if (made === null) return ['open', 'there is no return package']
  return judge(
    [
      made.faults.length > 0 && ['failed', `not as it was signed: ${made.faults.join(', ')}`],
      made.partial && ['review', 'gaps were waived: the result is of what there was'],
    ],
    'every digest and the completion signature were computed again',
  )
}

const isFree = ({ usage, priceUsd }: ClearingFacts): boolean =>
  usage === 'synthetic' || priceUsd === 0

function receiptsOf(facts: ClearingFacts): Judged {
  if (isFree(facts)) return ['passed', 'no money is due, so no receipt of money is']
  const { settlement, usage } = facts.receipts
  return judge(
    [
      !settlement && ['open', 'there is no settlement receipt'],
      !usage && ['open', 'there is no usage receipt'],
    ],
    'funded and charged',
  )
}

function paymentOf(facts: ClearingFacts): Judged {
  const { payment, priceUsd } = facts
  if (isFree(facts)) return ['passed', 'nothing is owed']
  if (payment === null || priceUsd === null) return ['open', 'there is no payment']
  return judge(
    [
      payment.state !== 'verified' && [
        unpaid[payment.state] ?? 'open',
        `the payment is ${payment.state}`,
      ],
      payment.amountUsd !== priceUsd && ['review', 'the payment is not the price that was quoted'],
    ],
    'the payment is verified',
  )
}

const unpaid: Readonly<Record<string, Outcome>> = { refunded: 'failed', disputed: 'review' }

/** Words compare without regard to case, spaces and a full stop at the end. */
const wordsOf = (text: string): string =>
  text.normalize('NFC').trim().replace(/\s+/g, ' ').replace(/\.$/, '').toLowerCase()

/** What is owed has to be what the contract promises: a criterion, as the reviewer judged it, or a line of the scope. */
function statementOf({ obligation, promised, state }: ClearingFacts): Judged | false {
  if (promised === null) return ['open', 'there is no accepted contract']
  const isOwed = (words: string) => wordsOf(words) === wordsOf(obligation.statement)
  const owed = promised.criteria.find(({ criterion }) => isOwed(criterion))
  if (owed === undefined)
    return (
      !promised.scope.some(isOwed) && [
        'review',
        `${promised.by} does not promise what the statement says`,
      ]
    )
  if (state !== 'closed') return ['open', `the criterion of ${promised.by} is not judged yet`]
  if (owed.verdict === 'not_met') return ['failed', `the criterion of ${promised.by} was not met`]
  return owed.verdict !== 'met' && ['review', `the criterion of ${promised.by} was not judged`]
}

function obligationOf(facts: ClearingFacts): Judged {
  const { obligation, priceUsd, package: made, promised, now } = facts
  const { amountUsd, dueAt } = obligation
  const late = made === null ? 'it is due, and not delivered' : 'it was delivered late'
  return judge(
    [
      statementOf(facts),
      dueAt !== null && (made?.madeAt ?? now) > dueAt && ['review', late],
      amountUsd !== null && priceUsd === null && ['open', 'there is no price yet'],
      amountUsd !== null &&
        priceUsd !== null &&
        amountUsd !== priceUsd && ['review', 'the amount is not the price of the run'],
    ],
    `promised by ${promised?.by}; ${amountUsd === null ? 'no amount was named' : 'the amount is the price of the run'}`,
  )
}

function policyOf({ policy, rail, priceUsd }: ClearingFacts): Judged {
  const { rails, maxUsd, limitsData } = policy
  return judge(
    [
      rails !== null && !rails.includes(rail) && ['failed', `${rail} is not in the scope`],
      maxUsd !== null &&
        priceUsd !== null &&
        priceUsd > maxUsd && ['failed', 'the price is above the scope'],
      limitsData && ['review', 'no record says whether the data is in the scope'],
    ],
    'rail and price are in the scope',
  )
}
