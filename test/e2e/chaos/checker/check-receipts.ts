import {
  type Complaint,
  groupBy,
  indexBy,
  type PayoutFact,
  type ReceiptFact,
  spendsOf,
  type TransferFact,
  type Verdict,
} from './facts.ts'
import { nonceOf, sha256 } from './identity.ts'

/** Every receipt verifies, each subject's are one unbroken chain, and a payout's say what became of it. */
export const checkReceipts: Verdict = ({ store, chain, where }) => {
  const chains = groupBy(store.receipts, ({ subject }) => subject)
  const transfers = indexBy(store.transfers, ({ payout_id }) => payout_id)
  const spends = indexBy(
    spendsOf(chain).filter(({ used }) => used.authorizer === where.payoutWallet),
    ({ used }) => used.nonce,
  )
  const broken = [...chains].flatMap(([subject, receipts]) =>
    complaints(subject, brokenLinks(receipts), receipts),
  )
  const wrong = store.payouts.flatMap((payout) => {
    const receipts = chains.get(payout.payout_id) ?? []
    const paidIn = spends.get(nonceOf(payout))?.used.transactionHash
    const whats = [
      ...wrongKinds(receipts, payout, transfers.get(payout.payout_id)),
      ...wrongFacts(receipts, payout),
      ...wrongTransactions(receipts, paidIn),
    ]
    return complaints(payout.payout_id, whats, { payout, paidIn, receipts })
  })
  return [...broken, ...wrong]
}

const complaints = (payoutId: string, whats: string[], evidence: unknown): Complaint[] =>
  whats.map((what) => ({ as: 'disagreements', what, evidence, payoutId }))

function brokenLinks(receipts: ReceiptFact[]): string[] {
  return receipts.flatMap(({ seq, prev, claims, jws, kind, subject, receipt_id }, index) => {
    const before = receipts[index - 1]
    const digest = before === undefined ? null : sha256(before.jws)
    return [
      claims === null && 'a receipt does not verify',
      seq !== index && 'a receipt is missing',
      (prev !== digest || (claims !== null && claims['prev'] !== digest)) &&
        'the chain of receipts is broken',
      receipt_id !== `rc_${sha256(jws)}` && 'a receipt has a wrong id',
      claims !== null &&
        (claims['kind'] !== kind || claims['sub'] !== subject) &&
        'a receipt is filed as another',
    ].filter((what) => what !== false)
  })
}

function wrongKinds(
  receipts: ReceiptFact[],
  payout: PayoutFact,
  transfer: TransferFact | undefined,
): string[] {
  const expected = ['payout_created']
  if (payout.state !== 'created') expected.push('payout_authorized')
  if (payout.state === 'executed') expected.push('payout_executed')
  if (transfer?.status === 'final') expected.push('payout_final')
  if (transfer?.status === 'dead')
    expected.push(payout.state === 'executed' ? 'payout_voided' : 'payout_dead')
  const kinds = receipts.map(({ kind }) => kind)
  return kinds.join() === expected.join()
    ? []
    : [`the receipts are ${kinds.join()} and not ${expected.join()}`]
}

const repeated = [
  'payout_id',
  'creator',
  'recipient',
  'amount_atomic',
  'terms_sha256',
  'usage',
] as const

function wrongFacts(receipts: ReceiptFact[], payout: PayoutFact): string[] {
  return receipts.flatMap(({ claims, kind }) =>
    repeated
      .filter((name) => claims !== null && claims[name] !== payout[name])
      .map((name) => `${kind} has another ${name}`),
  )
}

/** After a lost block an earlier receipt may name a transaction that vanished; the last word has to be the real one. */
function wrongTransactions(receipts: ReceiptFact[], paidIn: string | undefined): string[] {
  const notified = receipts.filter(
    ({ kind }) => kind === 'payout_executed' || kind === 'payout_final',
  )
  const closed = receipts.find(({ kind }) => kind === 'payout_dead' || kind === 'payout_voided')
  if (closed !== undefined)
    return closed.claims?.['money_moved'] === 'no' && paidIn === undefined
      ? []
      : ['a receipt says that no money moved']
  const last = notified.at(-1)?.claims
  return last == null || last['transaction_hash'] === paidIn
    ? []
    : ['a receipt names a transaction that did not pay']
}
