import { sha256Hex } from '../core/canonical-json.ts'
import type { Difference } from '../core/difference.ts'
import { receiptId } from '../core/ids.ts'
import type { MakeDifference, PayoutFindings, SeenReceipt, SeenTransfer } from './findings.ts'

/** The kinds that a payout in this state has, in their order. */
export function expectedReceipts(state: string, transfer: SeenTransfer['status'] | null): string[] {
  const kinds = ['payout_created']
  if (state !== 'created') kinds.push('payout_authorized')
  if (state === 'executed') kinds.push('payout_executed')
  if (transfer === 'final') kinds.push('payout_final')
  if (transfer === 'dead' && state === 'executed') kinds.push('payout_voided')
  if (transfer === 'dead' && state !== 'executed') kinds.push('payout_dead')
  return kinds
}

/** Whether the receipts are those of the state, follow from each other, are signed, and say what the row says. */
export function compareReceipts(
  { payout, transfer, receipts }: Pick<PayoutFindings, 'payout' | 'transfer' | 'receipts'>,
  of: MakeDifference,
): Difference[] {
  const differences: Difference[] = []
  const wanted = expectedReceipts(payout.state, transfer?.status ?? null)
  const kinds = receipts.map(({ kind }) => kind)
  if (kinds.join() !== wanted.join()) differences.push(of('receipt_missing', kinds, wanted))
  const broken = receipts.filter(({ receiptId: id, seq, prev, jws, payload }, index) => {
    const before = receipts[index - 1]
    const follows = before === undefined ? null : sha256Hex(before.jws)
    return (
      id !== receiptId(jws) ||
      seq !== index ||
      prev !== follows ||
      (payload !== null && payload['prev'] !== prev)
    )
  })
  if (broken.length > 0) differences.push(of('receipt_chain_broken', broken.map(nameOf), kinds))
  const invalid = receipts.filter(({ payload }) => payload === null)
  if (invalid.length > 0)
    differences.push(
      of('receipt_invalid', invalid.map(nameOf), 'no signature of a receipt key of ours'),
    )
  for (const { kind, payload } of receipts) {
    const facts: Record<string, unknown> = { ...payout.facts, sub: payout.payoutId, kind }
    if (kind === 'payout_final') Object.assign(facts, place(transfer))
    const wrong = Object.entries(facts).filter(
      ([name, value]) => payload !== null && payload[name] !== value,
    )
    if (wrong.length > 0)
      differences.push(
        of('receipt_contradicts_row', Object.fromEntries(wrong), {
          kind,
          ...Object.fromEntries(wrong.map(([name]) => [name, payload?.[name] ?? null])),
        }),
      )
  }
  return onePerCode(differences)
}

const nameOf = ({ seq, kind, receiptId: id }: SeenReceipt) => ({ seq, kind, receipt_id: id })
const place = (transfer: SeenTransfer | null) => ({
  transaction_hash: transfer?.transactionHash ?? null,
  block_number: Number(transfer?.blockNumber ?? 0),
})

/** One exception for one subject and code: the first of several stands for all. */
const onePerCode = (differences: Difference[]): Difference[] =>
  differences.filter(
    ({ code }, index) => differences.findIndex((other) => other.code === code) === index,
  )
