import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { paymentId } from '#domain/core/ids.ts'
import type { ProvenPayment } from '#domain/trust/counterparties.ts'
import { computeScorecard, scorecardFormula } from '#domain/trust/scorecard.ts'
import { accountOf, type Work, workId } from '#domain/trust/work.ts'
import type { ClaimedPayment, PaymentEvidence } from '../../../activities/chain/payment-evidence.ts'
import { decodeCompact } from '../../../activities/keys/compact.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { clockSeconds } from '../../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import { readBoundAccounts } from '../../../activities/store/trust/bound-accounts.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import { findAllWork } from '../../../activities/store/trust/work.ts'
import type { TrustDeps } from './deps.ts'

type PaymentItem = {
  transaction_hash: string
  payee: string
  amount_atomic: string
  authorization_nonce: string
}
export type ScoreInput = { completed_work: readonly Work[]; payments: readonly PaymentItem[] }
type Rejected = { item: string; reason: string }

/** The facts of a scorecard, as its receipt signs them and the answer shows them. */
type ScoreFacts = ReturnType<typeof computeScorecard> & {
  wallet: string
  rejected: Rejected[]
  as_of: number
  formula: typeof scorecardFormula
  inputs_sha256: string
  completed_work_sha256: string
  payments_sha256: string
}

/** Scores by evidence of the rows and of the chain; the caller only names it. */
export class ScorecardService {
  private readonly deps: TrustDeps

  constructor(deps: TrustDeps) {
    this.deps = deps
  }

  /** The same inputs within an hour of the chain get the first score. */
  async compute(wallet: string, input: ScoreInput, callId: string) {
    const inputs = normalised(wallet, input)
    const { facts, hour } = await this.#work(wallet, inputs)
    const subject = `score_${digestOf({ inputs_sha256: facts.inputs_sha256, hour })}`
    return answerOnce(this.deps, { callId, subject, status: 200 }, async (tx) => {
      await lockSubject(subject).run(tx)
      const { selfPayments: _listed, ...signed } = facts
      const jws = await issueReceipt(this.deps, tx, {
        subject,
        kind: 'scorecard',
        usage: 'unspecified',
        facts: signed,
      })
      return scoreView(jws)
    })
  }

  async #work(wallet: string, inputs: Inputs): Promise<{ facts: ScoreFacts; hour: number }> {
    const { db, asset } = this.deps
    const { evidence, headTime } = await this.#readChain(inputs.claimed)
    const parties = [wallet, ...inputs.claimed.map(({ payee }) => payee)]
    const [found, accounts, asOf] = await Promise.all([
      findAllWork(db, wallet, inputs.work),
      readBoundAccounts(db, parties),
      clockSeconds(db),
    ])
    const proven = provenOf(asset, inputs.claimed, evidence)
    const work = [...found].map(([id, { at }]) => ({ id, at }))
    const as_of = Math.floor(asOf)
    const score = computeScorecard({ wallet, work, payments: proven, accounts, asOf: as_of })
    const rejected: Rejected[] = [
      ...inputs.duplicates.map((item) => ({ item, reason: 'duplicate' })),
      ...inputs.work
        .map(workId)
        .filter((id) => !found.has(id))
        .map((item) => ({ item, reason: 'work_not_found' })),
      ...inputs.claimed.flatMap((payment, index) => unproven(asset, payment, evidence[index])),
      ...score.selfPayments.map((item) => ({ item, reason: 'self_payment' })),
    ]
    const { inputs_sha256, completed_work_sha256, payments_sha256 } = inputs
    const facts = {
      wallet: accountOf(wallet),
      ...score,
      rejected,
      as_of,
      formula: scorecardFormula,
      inputs_sha256,
      completed_work_sha256,
      payments_sha256,
    }
    return { facts, hour: Math.floor(headTime / 3600) }
  }

  /** There is no half score: without the chain there is none. */
  async #readChain(claimed: readonly ClaimedPayment[]) {
    const { paymentEvidence, chainTime } = this.deps
    try {
      const [evidence, headTime] = await Promise.all([paymentEvidence(claimed), chainTime()])
      return { evidence, headTime }
    } catch (error) {
      if (error instanceof DomainError) throw error
      throw refuse('unavailable', {
        detail: 'the chain does not answer; no score was computed',
        retry_after_ms: 2000,
        money_moved: 'no',
      })
    }
  }
}

type Inputs = {
  work: Work[]
  claimed: ClaimedPayment[]
  duplicates: string[]
  inputs_sha256: string
  completed_work_sha256: string
  payments_sha256: string
}

/** Each item once, in lower case and in one order, so that the digest does not depend on how the caller wrote them. */
function normalised(wallet: string, { completed_work, payments }: ScoreInput): Inputs {
  const work = firstOf(completed_work, workId)
  const claimed = firstOf(
    payments.map((payment) => claimOf(wallet, payment)),
    nameOf,
  )
  const completed_work_sha256 = digestOf(work.items)
  const payments_sha256 = digestOf(claimed.items)
  return {
    work: work.items,
    claimed: claimed.items,
    duplicates: [...work.duplicates, ...claimed.duplicates],
    completed_work_sha256,
    payments_sha256,
    inputs_sha256: digestOf({
      type: scorecardFormula.version,
      wallet,
      completed_work_sha256,
      payments_sha256,
    }),
  }
}

function firstOf<T>(items: readonly T[], nameIt: (item: T) => string) {
  const named = new Map(items.toReversed().map((item) => [nameIt(item), item]))
  const names = items.map(nameIt)
  return {
    items: [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item),
    duplicates: names.filter((name, index) => names.indexOf(name) !== index),
  }
}

const claimOf = (wallet: string, payment: PaymentItem): ClaimedPayment => ({
  transactionHash: payment.transaction_hash.toLowerCase(),
  payer: wallet,
  payee: payment.payee.toLowerCase(),
  amountAtomic: payment.amount_atomic,
  nonce: payment.authorization_nonce.toLowerCase(),
})
const nameOf = ({ transactionHash, nonce, payee, amountAtomic }: ClaimedPayment): string =>
  [transactionHash, nonce, payee, amountAtomic].join(':')
const idOf = (asset: string, { payer, nonce }: ClaimedPayment): string =>
  `payment:${paymentId(asset, payer, nonce)}`

function provenOf(
  asset: string,
  claimed: readonly ClaimedPayment[],
  evidence: readonly PaymentEvidence[],
): ProvenPayment[] {
  const proven = claimed.flatMap((payment, index): ProvenPayment[] => {
    const found = evidence[index]
    if (found?.proven !== true) return []
    const { payee, amountAtomic } = payment
    const { blockNumber, logIndex } = found.transfer
    const examined = found.examined.map((seen) => ({
      id: `${seen.transactionHash}:${seen.logIndex}`,
      from: seen.from,
      to: seen.to,
      amountAtomic: seen.amountAtomic,
      blockNumber: seen.blockNumber,
      logIndex: seen.logIndex,
    }))
    const id = idOf(asset, payment)
    return [{ id, payee, amountAtomic, blockNumber, logIndex, at: found.at, examined }]
  })
  return [...new Map(proven.map((payment) => [payment.id, payment])).values()]
}

function unproven(
  asset: string,
  payment: ClaimedPayment,
  found: PaymentEvidence | undefined,
): Rejected[] {
  if (found === undefined || found.proven) return []
  return [{ item: idOf(asset, payment), reason: found.reason }]
}

function scoreView(jws: string) {
  const { payload } = decodeCompact(jws)
  const facts = payload as unknown as Omit<ScoreFacts, 'selfPayments'>
  const { score, confidence, components, rejected, refunds, formula, as_of } = facts
  const { inputs_sha256, completed_work_sha256, payments_sha256 } = facts
  return {
    score,
    confidence,
    components,
    rejected,
    refunds,
    formula,
    as_of,
    inputs_sha256,
    completed_work_sha256,
    payments_sha256,
    receipt: receiptView(jws),
  }
}
