import { trustLimits } from '../core/limits.ts'
import {
  type BoundAccounts,
  countCounterparties,
  isSameOwner,
  type ProvenPayment,
  type SeenTransfer,
} from './counterparties.ts'

/** A transfer from a payee back to the payer, and the payment that it returns. */
type Refund = { id: string; payment: string; amount_atomic: string }

type Place = Pick<SeenTransfer, 'blockNumber' | 'logIndex'>
const compare = (one: Place, other: Place): number =>
  Number(BigInt(one.blockNumber) - BigInt(other.blockNumber)) || one.logIndex - other.logIndex

/**
 * The largest transfers from payees back to the wallet, at most as many as the limit. Each returns the last payment to that payee
 * before it in whose examined logs it is.
 */
export function findRefunds(wallet: string, payments: readonly ProvenPayment[]): Refund[] {
  const found = new Map<string, { refund: Refund; returns: ProvenPayment }>()
  for (const payment of payments)
    for (const transfer of payment.examined) {
      if (transfer.from !== payment.payee || transfer.to !== wallet) continue
      if (compare(transfer, payment) <= 0) continue
      const known = found.get(transfer.id)
      if (known !== undefined && compare(known.returns, payment) > 0) continue
      const { id, amountAtomic } = transfer
      const refund = { id, payment: payment.id, amount_atomic: amountAtomic }
      found.set(id, { refund, returns: payment })
    }
  return [...found.values()]
    .map(({ refund }) => refund)
    .sort((one, other) => byAmount(one, other) || (one.id < other.id ? -1 : 1))
    .slice(0, trustLimits.refundsPerScore)
}

function byAmount(one: Refund, other: Refund): number {
  const [amount, against] = [BigInt(one.amount_atomic), BigInt(other.amount_atomic)]
  if (amount === against) return 0
  return amount > against ? -1 : 1
}

export const componentNames = [
  'work_completed',
  'payments_settled',
  'distinct_counterparties',
  'refund_rate',
  'recency',
] as const
type ComponentName = (typeof componentNames)[number]

export const completedWorkMax = 10
export const paymentsMax = 5
const DAY = 24 * 3600
/** Evidence counts in full for so long, and then less until it counts nothing. */
const freshSeconds = 7 * DAY
const staleSeconds = 90 * DAY

/** How many blocks after each payment are examined for refunds and for transfers between payees. */
export const examinedBlocks = 20_000n

/** The formula as it is published and signed: each value is an integer from 0 to 100. */
export const scorecardFormula = {
  version: 'scorecard.v1',
  score: 'the sum of weight * value over all components, divided by 100 and rounded down',
  weights: {
    work_completed: 30,
    payments_settled: 25,
    distinct_counterparties: 20,
    refund_rate: 10,
    recency: 15,
  },
  values: {
    work_completed: `proven work items of ${completedWorkMax}`,
    payments_settled: `proven payments that were not returned in full, of ${paymentsMax}`,
    distinct_counterparties: `the most of these payments of which no two went to one counterparty, of ${paymentsMax}; payees are one when they are bound to one account or one paid the other in the examined logs`,
    refund_rate: `the share of each payment that its payee kept, summed, of ${paymentsMax}`,
    recency: 'the newest evidence: 100 up to 7 days old, 0 from 90 days, evenly between',
  },
  examined_blocks: Number(examinedBlocks),
} as const

export type Evidence = {
  wallet: string
  /** Distinct proven items; times in Unix seconds. */
  work: readonly { id: string; at: number }[]
  /** Distinct proven payments of the wallet. */
  payments: readonly ProvenPayment[]
  accounts: BoundAccounts
  /** Unix seconds. */
  asOf: number
}
type Component = {
  component: ComponentName
  weight: number
  value: number
  evidence: string[]
}
type Confidence = 'none' | 'low' | 'medium' | 'high'
type Band = 'unproven' | 'low' | 'medium' | 'high'
type Scorecard = {
  score: { value: number; band: Band }
  confidence: Confidence
  components: Component[]
  refunds: Refund[]
  /** Payments to the wallet itself or to a wallet of the same account, which do not count. */
  selfPayments: string[]
}

/** The score of a wallet. More proven evidence never lowers it; a refund never raises it. */
export function computeScorecard({ wallet, work, payments, accounts, asOf }: Evidence): Scorecard {
  const [own, others] = split(payments, ({ payee }) => isSameOwner(payee, wallet, accounts))
  const refunds = findRefunds(wallet, others)
  const kept = others.map((payment) => ({ payment, percent: keptPercent(payment, refunds) }))
  const standing = kept.filter(({ percent }) => percent > 0).map(({ payment }) => payment)
  const dated = [...work, ...standing]
  const newest = Math.max(...dated.map(({ at }) => at))
  const ids = standing.map(({ id }) => id)
  const components: Component[] = [
    part(
      'work_completed',
      share(work.length, completedWorkMax),
      work.map(({ id }) => id),
    ),
    part('payments_settled', share(standing.length, paymentsMax), ids),
    part(
      'distinct_counterparties',
      share(countCounterparties(standing, accounts), paymentsMax),
      ids,
    ),
    part(
      'refund_rate',
      Math.floor(kept.reduce((sum, { percent }) => sum + percent, 0) / paymentsMax),
      [...ids, ...refunds.map(({ id }) => id)],
    ),
    part(
      'recency',
      dated.length === 0 ? 0 : freshness(asOf - newest),
      dated.filter(({ at }) => at === newest).map(({ id }) => id),
    ),
  ]
  const weighed = components.reduce((sum, { weight, value }) => sum + weight * value, 0)
  const value = Math.floor(weighed / 100)
  return {
    score: { value, band: bandOf(value) },
    confidence: confidenceOf(work.length + standing.length),
    components,
    refunds,
    selfPayments: own.map(({ id }) => id),
  }
}

const part = (component: ComponentName, value: number, evidence: string[]): Component => ({
  component,
  weight: scorecardFormula.weights[component],
  value,
  evidence,
})

const share = (count: number, most: number): number =>
  Math.floor((100 * Math.min(count, most)) / most)

function keptPercent({ id, amountAtomic }: ProvenPayment, refunds: readonly Refund[]): number {
  const paid = BigInt(amountAtomic)
  const returned = refunds
    .filter(({ payment }) => payment === id)
    .reduce((sum, refund) => sum + BigInt(refund.amount_atomic), 0n)
  return returned >= paid ? 0 : Math.max(1, Number(((paid - returned) * 100n) / paid))
}

function freshness(age: number): number {
  const left = Math.min(Math.max(staleSeconds - age, 0), staleSeconds - freshSeconds)
  return Math.floor((100 * left) / (staleSeconds - freshSeconds))
}

function bandOf(value: number): Band {
  if (value >= 70) return 'high'
  if (value >= 40) return 'medium'
  return value > 0 ? 'low' : 'unproven'
}

function confidenceOf(items: number): Confidence {
  if (items >= 9) return 'high'
  if (items >= 4) return 'medium'
  return items > 0 ? 'low' : 'none'
}

function split<T>(items: readonly T[], is: (item: T) => boolean): [T[], T[]] {
  return [items.filter(is), items.filter((item) => !is(item))]
}
