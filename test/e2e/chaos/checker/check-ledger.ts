import { type Complaint, groupBy, type Verdict } from './facts.ts'

const kinds = ['challenge_jti', 'kb_nonce', 'mandate', 'presentation', 'principal_digest']

/** Authority is used up once: each authorized payout has one key of each kind, and no key is used up for another payout. */
export const checkLedger: Verdict = ({ store }) => {
  const keys = groupBy(store.ledger, ({ subject }) => subject)
  return store.payouts.flatMap((payout): Complaint[] => {
    const used = (keys.get(payout.payout_id) ?? []).map(({ kind }) => kind).sort()
    const expected = payout.state === 'created' ? [] : kinds
    if (used.join() === expected.join()) return []
    const what =
      payout.state === 'created'
        ? 'replay keys are used up for a payout that was never authorized'
        : 'a payout was authorized without using up its replay keys once'
    return [{ as: 'disagreements', what, evidence: { payout, used }, payoutId: payout.payout_id }]
  })
}
