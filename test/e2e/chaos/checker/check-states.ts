import {
  type AuthorizationEvent,
  type Complaint,
  type Facts,
  indexBy,
  type PayoutFact,
  type Spend,
  spendsOf,
  type TransferFact,
  type Verdict,
} from './facts.ts'
import { nonceOf, payoutIdOf, termsDigestOf } from './identity.ts'

type Subject = {
  payout: PayoutFact
  transfer: TransferFact | undefined
  /** What the chain has of this payout's nonce, and whether it is the exact transfer. */
  spend: Spend | undefined
  paid: boolean
  canceled: AuthorizationEvent | undefined
  facts: Facts
}
/** A sentence about what is wrong, or nothing. */
type Rule = (subject: Subject) => string | false | undefined

/** Row and chain say the same of every payout: executed if and only if it was paid, dead if and only if it never can be. */
export const checkStates: Verdict = (facts) => {
  const transfers = indexBy(facts.store.transfers, ({ payout_id }) => payout_id)
  const ours = (authorizer: string) => authorizer === facts.where.payoutWallet
  const spends = indexBy(
    spendsOf(facts.chain).filter(({ used }) => ours(used.authorizer)),
    ({ used }) => used.nonce,
  )
  const cancels = new Map(
    facts.chain.events.flatMap((event) =>
      event.kind === 'canceled' && ours(event.authorizer) ? [[event.nonce, event]] : [],
    ),
  )
  return facts.store.payouts.flatMap((payout): Complaint[] => {
    const nonce = nonceOf(payout)
    const transfer = transfers.get(payout.payout_id)
    const spend = spends.get(nonce)
    const canceled = cancels.get(nonce)
    const subject = { payout, transfer, spend, paid: pays(spend, payout), canceled, facts }
    const evidence = { payout, transfer, spend, canceled, finalized: facts.chain.finalized }
    return rules.flatMap((rule): Complaint[] => {
      const what = rule(subject)
      return typeof what === 'string'
        ? [{ as: 'disagreements', what, evidence, payoutId: payout.payout_id }]
        : []
    })
  })
}

const isIncluded = ({ transfer }: Subject) =>
  transfer?.status === 'included' || transfer?.status === 'final'

const rules: readonly Rule[] = [
  ({ payout }) =>
    payout.payout_id !== payoutIdOf(payout) &&
    'a payout has another id than its creator and key give',
  ({ payout }) =>
    payout.terms_sha256 !== termsDigestOf(payout) &&
    'the stored terms digest is not of the stored terms',
  ({ payout, transfer }) =>
    transfer && !isFor(transfer, payout) && 'a transfer has other terms than its payout',
  ({ payout, transfer }) =>
    payout.state === 'created' && transfer && 'a transfer was reserved without authority',
  (subject) =>
    subject.payout.state === 'executed' &&
    !isIncluded(subject) &&
    subject.transfer?.status !== 'dead' &&
    'a payout is executed and its transfer is not',
  (subject) =>
    isIncluded(subject) &&
    subject.payout.state !== 'executed' &&
    'a transfer is included and its payout not executed',
  (subject) =>
    isIncluded(subject) && !subject.paid && 'a payout is executed and the chain never paid it',
  (subject) =>
    isIncluded(subject) &&
    subject.spend &&
    !isThat(subject.transfer, subject.spend) &&
    'the stored block is not the real one',
  (subject) =>
    !isIncluded(subject) && subject.paid && 'the chain paid a payout and the row does not say so',
  ({ spend, paid, transfer }) =>
    spend &&
    !paid &&
    transfer?.exception == null &&
    'the nonce was spent on something else and no operator was called',
  (subject) =>
    subject.transfer?.status === 'dead' &&
    !isProvenDead(subject) &&
    'a transfer is dead without proof',
  ({ transfer, canceled }) =>
    canceled &&
    transfer &&
    transfer.status !== 'dead' &&
    'an authorization was canceled and its transfer is not dead',
]

const pays = (spend: Spend | undefined, payout: PayoutFact): boolean =>
  spend?.transfer?.from === payout.payout_wallet &&
  spend.transfer.to === payout.recipient &&
  spend.transfer.value === BigInt(payout.amount_atomic)

const isFor = (transfer: TransferFact, payout: PayoutFact) =>
  transfer.nonce === nonceOf(payout) &&
  transfer.wallet === payout.payout_wallet &&
  transfer.recipient === payout.recipient &&
  transfer.amount_atomic === payout.amount_atomic &&
  transfer.valid_before === payout.expires_at

const isThat = (transfer: TransferFact | undefined, { used }: Spend) =>
  transfer?.transaction_hash === used.transactionHash &&
  transfer.block_hash === used.blockHash &&
  transfer.block_number === String(used.blockNumber) &&
  transfer.block_ms === used.blockTime * 1000

/** In a finalized block: canceled, or past its time and unused. */
function isProvenDead({ transfer, spend, canceled, facts }: Subject): boolean {
  if (spend !== undefined) return false
  const { finalized } = facts.chain
  if (canceled !== undefined) return canceled.blockNumber <= finalized.number
  return finalized.timestamp >= Number(transfer?.valid_before)
}
