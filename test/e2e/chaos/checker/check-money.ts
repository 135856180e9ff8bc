import { type Complaint, type Facts, groupBy, indexBy, spendsOf, type Verdict } from './facts.ts'
import { nonceOf } from './identity.ts'

/** Each payout moved its amount at most once, and nothing else left the payout wallet. */
export const checkMoney: Verdict = (facts) => [
  ...unexplained(facts),
  ...repeated(facts),
  ...held(facts),
]

const outgoing = ({ chain, where }: Facts) =>
  chain.events.flatMap((event) =>
    event.kind === 'transfer' && event.from === where.payoutWallet && event.value > 0n
      ? [event]
      : [],
  )

/** A transfer out of the payout wallet has to be the exact terms of one payout behind the use of that payout's own nonce. */
function unexplained(facts: Facts): Complaint[] {
  const payouts = indexBy(facts.store.payouts, nonceOf)
  const ours = spendsOf(facts.chain).filter(
    ({ used }) => used.authorizer === facts.where.payoutWallet,
  )
  const explained = new Set(
    ours.flatMap(({ used, transfer }) => {
      const payout = payouts.get(used.nonce)
      const exact =
        payout !== undefined &&
        transfer?.from === payout.payout_wallet &&
        transfer.to === payout.recipient &&
        transfer.value === BigInt(payout.amount_atomic)
      return exact ? [transfer] : []
    }),
  )
  const byRecipient = indexBy(facts.store.payouts, ({ recipient }) => recipient)
  return outgoing(facts)
    .filter((transfer) => !explained.has(transfer))
    .map((evidence) => ({
      as: 'duplicates',
      what: 'money left the payout wallet and no payout explains it',
      evidence,
      payoutId: byRecipient.get(evidence.to)?.payout_id ?? null,
    }))
}

/** The token forbids the second use of a nonce; the logs are asked all the same. */
function repeated({ chain, where }: Facts): Complaint[] {
  const uses = groupBy(
    chain.events.flatMap((event) =>
      event.kind === 'used' && event.authorizer === where.payoutWallet ? [event] : [],
    ),
    ({ nonce }) => nonce,
  )
  return [...uses.values()]
    .filter((events) => events.length > 1)
    .map((evidence) => ({ as: 'duplicates', what: 'one nonce was used more than once', evidence }))
}

/** What a run's recipient holds, asked of the token's storage, is its amount once or nothing. */
function held({ chain, runs, store }: Facts): Complaint[] {
  return runs.flatMap((run): Complaint[] => {
    const balance = chain.balances.get(run.recipient) ?? 0n
    const due = store.payouts.filter(({ recipient }) => recipient === run.recipient)
    const most = due.reduce((sum, { amount_atomic }) => sum + BigInt(amount_atomic), 0n)
    if (balance <= most) return []
    const evidence = {
      balance,
      due: due.map(({ payout_id, amount_atomic }) => ({ payout_id, amount_atomic })),
    }
    return [
      {
        as: 'duplicates',
        what: 'a recipient holds more than it was due',
        evidence,
        run: run.index,
      },
    ]
  })
}
