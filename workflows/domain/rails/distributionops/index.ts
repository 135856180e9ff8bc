import { digestOf } from '../../core/canonical-json.ts'
import { byRows } from '../input/by-rows.ts'
import { type Entry, enter } from '../input/names.ts'
import type { GapRules, Rail, Work } from '../rail.ts'
import { toInteger } from '../values/amounts.ts'
import { cite, type Notes, notes } from '../work/notes.ts'
import { rowTiers, tiersOf } from '../work/tiers.ts'
import { inOrder, judgedGaps } from '../work/work.ts'
import { distributionopsAudit } from './audit.ts'
import { noteAlikeIds, noteDestinations, notePayments, type Paid } from './destinations.ts'
import { recipientForms, recipientHeadings } from './forms/index.ts'
import { inMinor, type Recipient } from './in-minor.ts'
import { achOf, creditTransferOf, paymentsOf, payoutCallsOf } from './payments.ts'
import { distributionopsInput, unreachableDistributionInput } from './sample.ts'
import { type DistributionInput, Head, Result, Recipient as Row } from './schema.ts'
import { type Claim, fill, type Share } from './water-filling.ts'
import { claimed, wholeOf } from './weights.ts'

export { distributionopsInput } from './sample.ts'
export type { DistributionInput } from './schema.ts'

type Given = Paid & { held: Share['held'] }
type Code = keyof typeof details
const details = {
  conflicting_duplicates: (count: number) =>
    `ids whose rows differ, none of which is paid: ${count}`,
  repeated_rows: (count: number) => `ids with rows that repeat another and count once: ${count}`,
  refused_recipients: (count: number) => `recipients that are refused: ${count}`,
  balances_carried: (count: number) =>
    `recipients with a balance below zero, which get nothing and keep it: ${count}`,
  percentages_rounded: () =>
    'the percentages sum to 100 only within their decimal places: the shares are in proportion',
  percentages_off: () =>
    'the percentages do not sum to 100, or stand next to weights: nothing is allocated',
  shared_destinations: (count: number) =>
    `payments to a destination that has another one: ${count}`,
  ids_alike: (count: number) =>
    `payments to ids that differ from another one only in case, blanks or invisible characters: ${count}`,
  pool_too_small: () => 'fixed amounts and floors are more than the pool: nothing is allocated',
  not_distributed: () =>
    'a part of the pool is left: every recipient has what it may get, or fractions stay in it',
  no_destination: (count: number) => `payments without a destination: ${count}`,
  payouts_refused: (count: number) => `payments that the payout rail does not take: ${count}`,
  transfers_refused: (count: number) => `payments that are not in the payment file: ${count}`,
  no_debtor_account: (count: number) =>
    `payments to an account, of which there is no payment file: ${count}`,
  no_ach_company: (count: number) =>
    `payments to an account of ACH, of which there is no NACHA file: ${count}`,
  texts_rewritten: (count: number) =>
    `payments whose name or text has other characters in the payment file: ${count}`,
}

/**
 * Divides a pool: fixed amounts first, the rest by weight within floors and caps (water-filling, exact fractions), whole units by
 * largest remainder with ties to the lower id. The allocations and the remainder sum exactly to the pool.
 */
const gapRules = {
  pool_too_small: {
    kind: 'needed',
    filled_by: 'a pool that holds the fixed amounts and the floors, or smaller ones',
  },
  percentages_off: {
    kind: 'needed',
    filled_by: 'percentages of all recipients that sum to 100, or weights for all of them',
  },
  no_destination: {
    kind: 'needed',
    filled_by: 'a destination_reference, a wallet, an iban or an account of ACH for each recipient',
  },
  payouts_refused: {
    kind: 'advisory',
    filled_by: 'a wallet as payments.payout_refused says, or an amount within the cap of a payout',
  },
  transfers_refused: {
    kind: 'advisory',
    filled_by:
      'an account and a name in Latin, Greek or Cyrillic letters, as payments.transfer_refused and ach_refused say',
  },
  no_debtor_account: {
    kind: 'advisory',
    filled_by: 'the account that is debited',
    pointer: '/credit_transfer',
  },
  no_ach_company: {
    kind: 'advisory',
    filled_by: 'the company that pays by ACH, and its bank',
    pointer: '/ach',
  },
  not_distributed: { kind: 'advisory', filled_by: 'higher caps, or rounding by largest remainder' },
} as const satisfies GapRules

export const distributionops: Rail<DistributionInput, Result> = {
  key: 'distributionops',
  about: {
    summary:
      'Divides a pool of money among recipients to the last unit and prepares the payout batch for review.',
    capabilities: [
      'distribute royalties, commissions, grants or revenue shares',
      'allocate an amount by weight with caps and floors',
      'split money so that the shares sum exactly to the total',
      'find duplicate recipients, shared destinations and recipients that cannot be paid',
      'prepare a payout batch with a manifest digest',
      'write a bank payment file (ISO 20022 pain.001, SEPA) and payout calls in USDC',
    ],
    asks: [
      'split money fairly between people',
      'divide a sum in proportion to shares, points or hours',
      'pay royalties to artists, authors and musicians',
      'share revenue or profit with partners and owners',
      'pay out dividends to shareholders',
      'share tips and prizes among staff or winners',
      'calculate how much each person gets',
      'prepare payments to many people at once',
    ],
  },
  takes: {
    paidAgentUse: false,
    quickstart: true,
    pricingModelV2: true,
    controlledLoop: 'current',
    offer: false,
    requestedTool: true,
  },
  prices: { entry: 199, standard: 399, pro: 699 },
  tiers: tiersOf({
    entry: {
      depth: 'the allocations with their check and manifest',
      leaves_out: [
        'caps_applied',
        'duplicates',
        'payments',
        'payout_calls',
        'credit_transfer',
        'ach',
      ],
      leaves_out_codes: [
        'conflicting_duplicates',
        'no_ach_company',
        'no_debtor_account',
        'payouts_refused',
        'repeated_rows',
        'texts_rewritten',
        'transfers_refused',
      ],
    },
    whole: 'all of it, with the payment files, the limits that held and the rows that came twice',
    rows: rowTiers,
  }),
  result: Result,
  sandboxInput: distributionopsInput,
  gapRules,
  audit: distributionopsAudit,
  inputWithGaps: unreachableDistributionInput,
  parameters: ['rounding'],
  ...byRows({
    head: Head,
    lists: { recipients: Row },
    forms: { recipients: recipientForms },
    headings: { recipients: recipientHeadings },
    open(head) {
      const entries = new Map<string, Entry<Recipient>>()
      return {
        take: {
          recipients: (row, index) => enter(entries, inMinor(row, head.pool.currency), index),
        },
        close: () => distribute(head, [...entries.values()].sort(inOrder(({ row }) => row.id))),
      }
    },
  }),
}

function distribute(head: Head, entries: Entry<Recipient>[]): Work<Result> {
  const findings = notes<Code>(details)
  const gaps = notes<Code>(details)
  const refused = refusalsOf(entries, findings)
  const refusedIds = new Set(refused.map(({ recipient_id }) => recipient_id))
  const standing = entries.filter(({ row }) => !refusedIds.has(row.id))
  const carried = standing.flatMap(carriedOf)
  for (const { citations } of carried) findings.add('balances_carried', citations)
  const accepted = standing.filter(({ row }) => (row.amount_minor ?? 0) >= 0)
  const pool = BigInt(head.pool.amount_minor)
  const isOff = notePercentages(accepted, findings, gaps)
  const given = isOff ? null : allocate(pool, accepted, head.rounding === 'down')
  if (given === null && !isOff) gaps.add('pool_too_small', [{ pointer: '/pool/amount_minor' }])
  const paid = (given ?? []).filter(({ amount }) => amount > 0n)
  const disputed = entries.some(({ differ }) => differ)
  const payments = paymentsOf(paid, { head, disputed })
  const allocated = paid.reduce((sum, { amount }) => sum + amount, 0n)
  if (given !== null && allocated < pool)
    gaps.add('not_distributed', [{ pointer: '/pool/amount_minor' }])
  noteDestinations(paid, { findings, gaps })
  noteAlikeIds(paid, findings)
  notePayments(paid, payments, head, { findings, gaps })
  const blockers: string[] = []
  if (given === null) blockers.push(isOff ? 'percentages_off' : 'pool_too_small')
  if (gaps.count('no_destination') > 0) blockers.push('no_destination')
  if (disputed) blockers.push('conflicting_duplicates')
  if (paid.length === 0) blockers.push('no_payments')
  const remainder_minor = toInteger(pool - allocated)
  const result: Result = {
    currency: head.pool.currency,
    allocations: (given ?? []).map(allocationOf),
    carried,
    payments,
    payout_calls: payoutCallsOf(payments),
    credit_transfer: creditTransferOf(payments, head),
    ach: achOf(payments, head),
    remainder_minor,
    duplicates: entries.filter(({ rows }) => rows.length > 1).map(duplicateOf),
    refused,
    caps_applied: (given ?? []).flatMap(limitOf),
    total_check: {
      pool_minor: head.pool.amount_minor,
      allocated_minor: toInteger(allocated),
      remainder_minor,
      balances: allocated + BigInt(remainder_minor) === pool && remainder_minor >= 0,
    },
    manifest_sha256: digestOf({
      pool: head.pool,
      rounding: head.rounding ?? 'largest_remainder',
      payments: payments.map(({ recipient_id, amount_minor, ...to }) => {
        const { destination_reference = null, wallet = null, iban = null } = to
        const { routing_number = null, account_number = null } = to
        const banks = { iban, routing_number, account_number }
        return { recipient_id, amount_minor, destination_reference, wallet, ...banks }
      }),
    }),
    batch: { ready_for_review: blockers.length === 0, payments: paid.length, blockers },
  }
  return { result, findings: findings.list(), gaps: judgedGaps(gapRules, gaps.list()) }
}

/** Null when the pool does not hold the fixed amounts and the floors. */
function allocate(pool: bigint, accepted: Entry<Recipient>[], roundDown: boolean): Given[] | null {
  const fixed = accepted.filter(({ row }) => row.amount_minor !== undefined).map(fixedAmount)
  const weighted = accepted.filter(({ row }) => row.amount_minor === undefined)
  const rest = pool - fixed.reduce((sum, { amount }) => sum + amount, 0n)
  const claims = weighted.map(({ row }) => claimOf(row))
  if (claims.reduce((sum, { floor }) => sum + floor, 0n) > rest || rest < 0n) return null
  const shares = fill(rest, claims)
  const amounts = shares.map(({ whole }) => whole)
  const fractions = shares.reduce((sum, { rest: part }) => sum + part, 0n)
  const divisor = shares.find(({ rest: part }) => part > 0n)?.divisor ?? 1n
  // Entries stand in the order of ids and the sort is stable, so ties go to the lower id.
  const byRemainder = [...shares.keys()].sort((a, b) =>
    compare(shares[b]?.rest ?? 0n, shares[a]?.rest ?? 0n),
  )
  for (const index of roundDown ? [] : byRemainder.slice(0, Number(fractions / divisor))) {
    amounts[index] = (amounts[index] ?? 0n) + 1n
  }
  const shared = weighted.map(({ row, index }, at): Given => {
    return { recipient: row, index, amount: amounts[at] ?? 0n, held: shares[at]?.held ?? null }
  })
  return [...fixed, ...shared].sort(inOrder(({ recipient }) => recipient.id))
}

function fixedAmount({ row, index }: Entry<Recipient>): Given {
  const amount = row.amount_minor ?? 0
  const capped = Math.min(amount, row.cap_minor ?? amount)
  const kept = Math.max(capped, row.floor_minor ?? 0)
  return {
    recipient: row,
    index,
    amount: BigInt(kept),
    held: heldBy(amount, kept),
  }
}

function heldBy(amount: number, kept: number): Given['held'] {
  if (kept < amount) return 'cap'
  return kept > amount ? 'floor' : null
}

function claimOf(recipient: Recipient): Claim {
  const { floor_minor = 0, cap_minor } = recipient
  const cap = cap_minor === undefined ? null : BigInt(cap_minor)
  return { weight: claimed(recipient)?.units ?? 0n, floor: BigInt(floor_minor), cap }
}

function carriedOf({ row, rows }: Entry<Recipient>): Result['carried'] {
  const { id, amount_minor = 0 } = row
  if (amount_minor >= 0) return []
  const citations = rows.map(({ index }) => cite('recipients', index, 'amount_minor'))
  return [{ recipient_id: id, balance_minor: amount_minor, citations }]
}

/** Whether there are percentages that are not those of one whole. */
function notePercentages(
  accepted: Entry<Recipient>[],
  findings: Notes<Code>,
  gaps: Notes<Code>,
): boolean {
  const shares = accepted.flatMap(({ row }) => claimed(row) ?? [])
  const whole = wholeOf(shares)
  if (whole === 'rounded') findings.add('percentages_rounded', [{ pointer: '/recipients' }])
  if (whole === 'off') gaps.add('percentages_off', [{ pointer: '/recipients' }])
  return whole === 'off'
}

function refusalsOf(entries: Entry<Recipient>[], findings: Notes<Code>): Result['refused'] {
  return entries.flatMap(({ row, rows, differ }) => {
    const citations = rows.map(({ index }) => cite('recipients', index))
    if (differ) findings.add('conflicting_duplicates', citations)
    else if (rows.length > 1) findings.add('repeated_rows', citations)
    const reason = differ ? 'rows of this id differ' : reasonAgainst(row)
    if (reason === null) return []
    findings.add('refused_recipients', citations)
    return [{ recipient_id: row.id, reason, citations }]
  })
}

/** A table may end with its total, which names no one to pay. */
const totalWords = /^(grand |sub)?-?(totals?|sum|summe|gesamt(summe|betrag)?|totaal|totale)\s*:?$/i

function reasonAgainst(recipient: Recipient): string | null {
  const { weight, share_percent, amount_minor, floor_minor = 0, cap_minor, fault } = recipient
  if (fault !== undefined) return fault
  if (totalWords.test(recipient.id.trim())) return 'is a total by its name, and no recipient'
  const shares = [weight, share_percent, amount_minor].filter((one) => one !== undefined)
  if (shares.length === 0) return 'has neither a weight nor an amount'
  if (shares.length > 1) return 'has more than one of weight, percentage and amount'
  const share = claimed(recipient)
  if (share !== undefined && share.units <= 0n) return 'its weight is not above zero'
  if (cap_minor !== undefined && cap_minor < floor_minor) return 'its cap is below its floor'
  return null
}

function allocationOf({ recipient, amount, index }: Given): Result['allocations'][number] {
  return {
    recipient_id: recipient.id,
    amount_minor: toInteger(amount),
    basis: recipient.amount_minor === undefined ? 'weight' : 'amount',
    destination_reference: recipient.destination_reference ?? null,
    citations: [cite('recipients', index)],
  }
}

function limitOf({ recipient, held }: Given): Result['caps_applied'] {
  const limit = held === 'cap' ? recipient.cap_minor : recipient.floor_minor
  if (held === null || limit === undefined) return []
  return [{ recipient_id: recipient.id, kind: held, limit_minor: limit }]
}

function duplicateOf({ row, rows, differ }: Entry<Recipient>): Result['duplicates'][number] {
  return {
    recipient_id: row.id,
    same: !differ,
    citations: rows.map(({ index }) => cite('recipients', index)),
  }
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
