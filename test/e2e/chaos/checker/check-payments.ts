import {
  type CallFact,
  type Complaint,
  type Facts,
  groupBy,
  type PaymentFact,
  type Spend,
  spendsOf,
  type Verdict,
} from './facts.ts'

const keyOf = (payer: string, nonce: string) => `${payer}:${nonce}`

/** Each fee that was taken on chain is one payment, and each payment is one call or one credit. */
export const checkPayments: Verdict = (facts) => {
  const { store, chain, where } = facts
  const taken = new Map(
    spendsOf(chain)
      .filter(({ transfer }) => transfer?.to === where.payTo)
      .map((spend) => [keyOf(spend.used.authorizer, spend.used.nonce), spend]),
  )
  const known = new Set(
    store.payments.map(({ payer, authorization_nonce }) => keyOf(payer, authorization_nonce)),
  )
  const live = groupBy(
    store.calls.filter(
      ({ grant_state, payment_id }) => grant_state !== 'released' && payment_id !== null,
    ),
    ({ payment_id }) => payment_id,
  )
  const unknown = [...taken]
    .filter(([key]) => !known.has(key))
    .map(([, spend]) =>
      complain('disagreements', 'a fee was taken that no payment explains', spend, undefined),
    )
  const each = store.payments.flatMap((payment) => {
    const spend = taken.get(keyOf(payment.payer, payment.authorization_nonce))
    const calls = live.get(payment.payment_id) ?? []
    return [...checkOnChain(payment, spend, calls), ...checkUse(payment, calls)]
  })
  return [...unknown, ...each, ...chargedTwice(facts)]
}

const complain = (
  as: Complaint['as'],
  what: string,
  evidence: unknown,
  call: CallFact | undefined,
): Complaint => ({
  as,
  what,
  evidence,
  payoutId: call?.subject ?? null,
})

function checkOnChain(
  payment: PaymentFact,
  spend: Spend | undefined,
  calls: CallFact[],
): Complaint[] {
  const evidence = { payment, spend, calls }
  const found = (as: Complaint['as'], what: string) => [complain(as, what, evidence, calls[0])]
  switch (payment.state) {
    case 'settled':
      return isThat(payment, spend)
        ? []
        : found('disagreements', 'a settled payment is not on chain as stored')
    case 'failed':
    case 'released':
      return spend === undefined
        ? []
        : found('disagreements', `a fee was taken for a payment that is ${payment.state}`)
    case 'claimed':
    case 'settling':
    case 'pending':
      return found('stuck', `a payment stays ${payment.state}`)
  }
}

const isThat = (payment: PaymentFact, spend: Spend | undefined) =>
  spend?.transfer?.value === BigInt(payment.amount_atomic) &&
  spend.transfer.from === payment.payer &&
  spend.transfer.to === payment.pay_to &&
  spend.used.transactionHash === payment.transaction_hash &&
  spend.used.blockHash === payment.block_hash

function isUsedOnce(payment: PaymentFact, calls: CallFact[]): boolean {
  if (payment.state !== 'settled') return calls.length <= 1
  if (payment.credit === 'available') return calls.length === 0
  const funding = payment.credit === 'used' ? 'credit' : 'payment'
  return calls.length === 1 && calls[0]?.funding === funding
}

/** A settled payment is under exactly one call, unless it waits as a credit. */
function checkUse(payment: PaymentFact, calls: CallFact[]): Complaint[] {
  if (isUsedOnce(payment, calls)) return []
  const what =
    calls.length === 0
      ? 'a fee was taken without effect or credit'
      : 'a payment is not under the one call it paid for'
  return [complain('disagreements', what, { payment, calls }, calls[0])]
}

function chargedTwice({ store }: Facts): Complaint[] {
  const settled = store.payments.filter(
    ({ state, call_id }) => state === 'settled' && call_id !== null,
  )
  return [...groupBy(settled, ({ call_id }) => call_id)]
    .filter(([, payments]) => payments.length > 1)
    .map(([callId, evidence]) =>
      complain(
        'disagreements',
        'one call was charged twice',
        evidence,
        store.calls.find(({ call_id }) => call_id === callId),
      ),
    )
}
