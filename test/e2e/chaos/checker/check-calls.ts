import {
  type CallFact,
  type Complaint,
  type Facts,
  groupBy,
  indexBy,
  type PayoutFact,
  type Verdict,
} from './facts.ts'

const FREE_CALLS = 10
const FREE_WINDOW_MS = 30 * 24 * 3600 * 1000
const priced = new Set(['payout-create', 'payout-authorize', 'payout-execute', 'payout-status'])

/** Every effect has the one call that was charged for it, every charged call has its effect, and free calls keep to their number. */
export const checkCalls: Verdict = (facts) => [
  ...effects(facts),
  ...charges(facts),
  ...freeSlots(facts),
]

const disagreement = (what: string, evidence: unknown, payoutId: string | null): Complaint => ({
  as: 'disagreements',
  what,
  evidence,
  payoutId,
})
const isCharged = ({ grant_state, funding }: CallFact) =>
  grant_state === 'used' && funding !== 'none'

/** Effect → charge. */
function effects({ store }: Facts): Complaint[] {
  const calls = groupBy(
    store.calls.filter(({ grant_state }) => grant_state === 'used'),
    ({ subject }) => subject,
  )
  const transfers = indexBy(store.transfers, ({ payout_id }) => payout_id)
  return store.payouts.flatMap((payout) => {
    const used = calls.get(payout.payout_id) ?? []
    const by = (operation: string) =>
      used.filter(
        (call) => call.operation === operation && call.caller === `wallet:${payout.creator}`,
      )
    const transfer = transfers.get(payout.payout_id)
    const executed = by('payout-execute').filter(({ call_id }) => call_id === transfer?.call_id)
    const counts = {
      create: by('payout-create').filter(({ key }) => key === payout.idempotency_key),
      authorize: by('payout-authorize').filter(
        ({ key }) => key === payout.authorize_idempotency_key,
      ),
      execute: executed,
    }
    const expected = {
      create: 1,
      authorize: payout.state === 'created' ? 0 : 1,
      // A transfer that died gave its charge back; one that was voided after it was paid for did not.
      execute:
        transfer === undefined || (transfer.status === 'dead' && payout.state !== 'executed')
          ? 0
          : 1,
    }
    return (['create', 'authorize', 'execute'] as const)
      .filter((step) => counts[step].length !== expected[step] || !counts[step].every(isCharged))
      .map((step) =>
        disagreement(
          `${step} has not ${expected[step]} charged call`,
          { payout, transfer, used },
          payout.payout_id,
        ),
      )
  })
}

/** Charge → effect. */
function charges({ store }: Facts): Complaint[] {
  const payouts = indexBy(store.payouts, ({ payout_id }) => payout_id)
  const transfers = indexBy(store.transfers, ({ call_id }) => call_id)
  return store.calls.flatMap((call): Complaint[] => {
    const { operation, grant_state, answer_state, subject } = call
    if (!priced.has(operation) || grant_state === 'released') return []
    if (grant_state === 'open')
      return [
        {
          as: 'stuck',
          what: 'a call is granted and no process works on it',
          evidence: call,
          payoutId: subject,
        },
      ]
    const transfer = transfers.get(call.call_id)
    const complaints: Complaint[] = []
    if (!hasEffect(call, payouts.get(subject ?? ''), transfer !== undefined))
      complaints.push(disagreement('a call is charged and has no effect', call, subject))
    const underWay =
      transfer !== undefined && !['included', 'final', 'dead'].includes(transfer.status)
    if (answer_state === 'open' && !underWay)
      complaints.push(
        disagreement('an effect is done and its answer was not stored', call, subject),
      )
    return complaints
  })
}

function hasEffect(call: CallFact, payout: PayoutFact | undefined, reserved: boolean): boolean {
  switch (call.operation) {
    case 'payout-create':
      return payout?.idempotency_key === call.key && call.caller === `wallet:${payout.creator}`
    case 'payout-authorize':
      return payout?.authorize_idempotency_key === call.key
    case 'payout-execute':
      return reserved && payout !== undefined
    default:
      return true
  }
}

function freeSlots({ store }: Facts): Complaint[] {
  const free = store.calls.filter(
    ({ funding, grant_state }) => funding === 'free' && grant_state !== 'released',
  )
  return [...groupBy(free, ({ caller }) => caller)].flatMap(([caller, calls]) => {
    const times = calls.map(({ granted_ms }) => granted_ms).sort((a, b) => a - b)
    const over = times.some(
      (time, index) =>
        time - (times[index - FREE_CALLS] ?? Number.NEGATIVE_INFINITY) < FREE_WINDOW_MS,
    )
    const subject = calls.find((call) => call.subject?.startsWith('po_'))?.subject ?? null
    return over
      ? [disagreement('a wallet had more free calls than there are', { caller, calls }, subject)]
      : []
  })
}
