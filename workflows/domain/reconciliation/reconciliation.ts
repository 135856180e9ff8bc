import type { Difference, DifferenceCode } from '../core/difference.ts'
import { type Hex, transferNonce } from '../core/ids.ts'
import type {
  LoggedTransaction,
  LoggedTransfer,
  MakeDifference,
  PayoutFindings,
  ProvenOutcome,
  SeenCall,
  SeenTransfer,
} from './findings.ts'
import { compareReceipts } from './receipt-chain.ts'

/** Everything that chain, rows, workflow and receipts of one payout say differently. */
export function comparePayout(seen: PayoutFindings): Difference[] {
  const of = (code: DifferenceCode, stored: unknown, found: unknown): Difference => ({
    code,
    subject: seen.payout.payoutId,
    evidence: { stored, found },
  })
  return [
    ...compareTransfer(seen, of),
    ...compareWorkflow(seen, of),
    ...compareReceipts(seen, of),
    ...compareCalls(seen, of),
  ]
}

function compareTransfer(
  { payout, transfer, transaction, outcome }: PayoutFindings,
  of: MakeDifference,
): Difference[] {
  const paid = transfer?.status === 'included' || transfer?.status === 'final'
  const differences: Difference[] = []
  const voided = payout.state === 'executed' && transfer !== null
  if (paid !== (payout.state === 'executed') && !voided)
    differences.push(
      of(
        'state_contradicts_transfer',
        { state: payout.state },
        { transfer: transfer?.status ?? 'none' },
      ),
    )
  if (transfer === null) return differences
  if (paid && !shows(transaction, transfer))
    differences.push(of('transfer_not_on_chain', transfer, transaction))
  if (outcome?.kind === 'conflict') differences.push(of('transfer_conflict', transfer, outcome))
  const fits = transfer.status === 'dead' ? ['dead', 'conflict'] : ['open', 'unproven', 'conflict']
  if (outcome !== null && !fits.includes(outcome.kind))
    differences.push(of('transfer_unrecorded', transfer, outcome))
  return differences
}

/** Whether it is the transaction and the block that the row names, and holds exactly the transfer that the row promises. */
function shows(transaction: LoggedTransaction, row: SeenTransfer): boolean {
  if (transaction?.blockHash !== row.blockHash || transaction.blockTime !== row.blockTime)
    return false
  return transaction.transfers.some(
    (log) =>
      log.transactionHash === row.transactionHash &&
      log.blockNumber === row.blockNumber &&
      log.nonce === row.nonce &&
      sameMoney(log, row),
  )
}

type Money = Pick<LoggedTransfer, 'from' | 'to' | 'amountAtomic'>
const sameMoney = (a: Money, b: Money): boolean =>
  a.from === b.from && a.to === b.to && a.amountAtomic === b.amountAtomic

const progress = [
  'none',
  'created',
  'authorized',
  'reserved',
  'signed',
  'submitted',
  'included',
  'executed',
  'final',
  'dead',
]

/** A run may lag behind the row, which it reads again; it may not know less than that there is a transfer, or claim more. */
function compareWorkflow(
  { payout, transfer, workflow }: PayoutFindings,
  of: MakeDifference,
): Difference[] {
  if (workflow === null || transfer === null) return []
  const { status, view } = workflow
  const stored = { state: payout.state, transfer: transfer.status }
  if (status !== 'RUNNING') return [of('transfer_without_workflow', stored, { status })]
  if (view === undefined) return []
  const ahead = (a: string, b: string) => progress.indexOf(a) > progress.indexOf(b)
  const closed = view?.transfer === 'final' || view?.transfer === 'dead'
  const contradicts =
    view === null || view.transfer === 'none' || closed || ahead(view.state, payout.state)
  return contradicts ? [of('workflow_contradicts_row', stored, { view })] : []
}

/** Each step was granted to a call that is free or paid for; create to exactly one. */
function compareCalls(
  { payout, transfer, calls }: PayoutFindings,
  of: MakeDifference,
): Difference[] {
  if (calls === null) return []
  const granted = (operation: string) =>
    calls.filter(
      (call) => call.operation === operation && call.grant === 'used' && call.funding !== 'none',
    ).length
  const executing = transfer !== null && transfer.status !== 'dead'
  const missing = [
    granted('payout-create') === 1 ? [] : ['payout-create'],
    payout.state === 'created' || granted('payout-authorize') > 0 ? [] : ['payout-authorize'],
    !executing || granted('payout-execute') > 0 ? [] : ['payout-execute'],
  ].flat()
  return missing.length === 0 ? [] : [of('effect_without_charge', { steps: missing }, { calls })]
}

type SeenPayment = Money & {
  paymentId: string
  state: string
  credit: string
  nonce: string
  transactionHash: string | null
  blockHash: string | null
}
export type PaymentFindings = {
  payment: SeenPayment
  calls: SeenCall[]
  /** Of a settled payment; `null` where its authorization is proven unused. */
  transaction: LoggedTransaction
  /** Of any other payment that was sent. */
  outcome: ProvenOutcome | null
}

/** Everything that chain, row and calls of one x402 payment say differently. */
export function comparePayment({
  payment,
  calls,
  transaction,
  outcome,
}: PaymentFindings): Difference[] {
  const differences: Difference[] = []
  const add = (code: DifferenceCode, stored: unknown, found: unknown) =>
    differences.push({ code, subject: `payment/${payment.paymentId}`, evidence: { stored, found } })
  const settled = payment.state === 'settled'
  const isOurs = (log: LoggedTransfer) =>
    log.transactionHash === payment.transactionHash &&
    log.nonce === payment.nonce &&
    sameMoney(log, payment)
  if (
    settled &&
    !(transaction?.blockHash === payment.blockHash && transaction.transfers.some(isOurs))
  )
    add('payment_not_on_chain', payment, transaction)
  if (outcome?.kind === 'paid') add('payment_unrecorded', payment, outcome)
  if (calls.length > 1) add('charge_with_two_effects', payment, { calls })
  const free =
    payment.credit === 'available' || payment.state === 'released' || payment.state === 'failed'
  if (calls.length === 0 && !free) add('charge_without_effect', payment, { calls })
  if (!settled && calls.some(({ answer }) => answer === 'final'))
    add('answer_without_charge', payment, { calls })
  return differences
}

/** A row that may explain a transfer of the logs; `open` while it may still be settled by it. */
export type Explanation = Money & {
  nonce: string | null
  transactionHash: string | null
  open: boolean
}

/** Transfers of the logs that no row explains; each row explains one. A payout's row is known by its nonce, a fee by its transaction. */
export function unexplained(
  code: 'unexplained_outgoing' | 'unexplained_incoming',
  logs: readonly LoggedTransfer[],
  rows: readonly Explanation[],
): Difference[] {
  const left = [...rows]
  return logs.flatMap((log) => {
    const at = left.findIndex(
      (row) =>
        sameMoney(row, log) &&
        (row.nonce === null
          ? row.transactionHash === log.transactionHash || row.open
          : row.nonce === log.nonce),
    )
    if (at >= 0) {
      left.splice(at, 1)
      return []
    }
    const subject = `${log.transactionHash}:${log.logIndex}`
    return [{ code, subject, blockNumber: log.blockNumber, evidence: { stored: null, found: log } }]
  })
}

/** A payout without a transfer in the database. */
export type UnreservedPayout = Money & { payoutId: string; state: string }

/**
 * Names the payout of each unexplained transfer that has the nonce and the terms of one: its row was lost when the database was
 * restored, and the payout continues by itself.
 */
export function attributed(
  differences: readonly Difference[],
  asset: string,
  payouts: readonly UnreservedPayout[],
): Difference[] {
  const byNonce = new Map(payouts.map((payout) => [transferNonce(asset, payout.payoutId), payout]))
  return differences.map((difference) => {
    const { found } = difference.evidence as { found: LoggedTransfer }
    const payout = byNonce.get((found.nonce ?? '0x') as Hex)
    if (payout === undefined || !sameMoney(payout, found)) return difference
    const stored = { state: payout.state, transfer: null }
    return { code: 'transfer_unrecorded', subject: payout.payoutId, evidence: { stored, found } }
  })
}

/** A transfer that counted against the daily cap, at its block's time in Unix seconds. */
export type Spent = { payoutId: string; blockTime: number; amountAtomic: bigint }

/** The most that left within one window that ends at a transfer at or after `since`; `spent` is in the order of its block times. */
export function peakUse(
  spent: readonly Spent[],
  windowSeconds: number,
  since = 0,
): { atomic: bigint; from: number; to: number } {
  let peak = { atomic: 0n, from: 0, to: 0 }
  let sum = 0n
  let first = 0
  for (const { blockTime, amountAtomic } of spent) {
    sum += amountAtomic
    for (
      let old = spent[first];
      old !== undefined && old.blockTime <= blockTime - windowSeconds;
      old = spent[++first]
    )
      sum -= old.amountAtomic
    if (sum > peak.atomic && blockTime >= since)
      peak = { atomic: sum, from: spent[first]?.blockTime ?? 0, to: blockTime }
  }
  return peak
}

export type GasWalletFindings = {
  wallet: string
  /** Transactions of the wallet that the chain has. */
  chainNonce: string
  /** Nonces below it with an open transaction of ours. */
  unsettled: string[]
  /** Nonces between our first and the chain's at which no transaction of ours was mined. */
  foreign: string[]
}

/** What a gas wallet's nonces on chain and in the rows say differently. */
export function compareGasWallet({
  wallet,
  chainNonce,
  unsettled,
  foreign,
}: GasWalletFindings): Difference[] {
  const found = { chain_nonce: chainNonce }
  const of = (code: DifferenceCode, nonces: string[]): Difference[] =>
    nonces.length === 0 ? [] : [{ code, subject: wallet, evidence: { stored: { nonces }, found } }]
  return [...of('lane_unsettled', unsettled), ...of('lane_foreign_transaction', foreign)]
}
