import { sha256Hex } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import type {
  LoggedTransaction,
  LoggedTransfer,
  PayoutFindings,
  SeenReceipt,
  SeenTransfer,
} from '#domain/reconciliation/findings.ts'

export const hash = (digit: string) => `0x${digit.repeat(64)}`
export const address = (digit: string) => `0x${digit.repeat(40)}`

export const paid: SeenTransfer = {
  status: 'final',
  from: address('a'),
  to: address('b'),
  amountAtomic: '5',
  nonce: hash('1'),
  transactionHash: hash('2'),
  blockNumber: '7',
  blockHash: hash('3'),
  blockTime: 1_000,
}
export const log = (more: Partial<LoggedTransfer> = {}): LoggedTransfer => ({
  transactionHash: hash('2'),
  logIndex: 1,
  blockNumber: '7',
  blockHash: hash('3'),
  from: address('a'),
  to: address('b'),
  amountAtomic: '5',
  nonce: hash('1'),
  ...more,
})
export const onChain = (more: Partial<LoggedTransfer> = {}): LoggedTransaction => ({
  blockHash: hash('3'),
  blockTime: 1_000,
  transfers: [log(more)],
})
export const call = (operation: string, more = {}) => ({
  operation,
  grant: 'used',
  answer: 'final',
  funding: 'free',
  ...more,
})
export const steps = ['create', 'authorize', 'execute'].map((step) => call(`payout-${step}`))
const place = { transaction_hash: paid.transactionHash, block_number: 7 }

export function receipts(kinds: string[]): SeenReceipt[] {
  let before: string | null = null
  return kinds.map((kind, seq) => {
    const jws = `jws-${kind}`
    const prev = before === null ? null : sha256Hex(before)
    before = jws
    const payload = {
      sub: 'po_1',
      kind,
      prev,
      amount_atomic: '5',
      ...(kind === 'payout_final' ? place : {}),
    }
    return { receiptId: receiptId(jws), seq, kind, prev, jws, payload }
  })
}

/** A payout that was executed and is final, as chain, rows and receipts agree on it. */
export function healthy(more: Partial<PayoutFindings> = {}): PayoutFindings {
  return {
    payout: { payoutId: 'po_1', state: 'executed', facts: { amount_atomic: '5' } },
    transfer: paid,
    receipts: receipts(['payout_created', 'payout_authorized', 'payout_executed', 'payout_final']),
    calls: steps,
    transaction: onChain(),
    outcome: null,
    workflow: null,
    ...more,
  }
}

/** The same payout on its way, driven by its workflow. */
export function underWay(more: Partial<PayoutFindings> = {}): PayoutFindings {
  return healthy({
    payout: { payoutId: 'po_1', state: 'authorized', facts: { amount_atomic: '5' } },
    transfer: { ...paid, status: 'submitted' },
    receipts: receipts(['payout_created', 'payout_authorized']),
    transaction: null,
    outcome: { kind: 'open' },
    workflow: { status: 'RUNNING', view: { state: 'authorized', transfer: 'signed' } },
    ...more,
  })
}
