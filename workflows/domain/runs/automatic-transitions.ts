import { type CallbackState, isCallbackOpen } from '../callbacks/callback.ts'
import type { TaskState } from '../tasks/lifecycle.ts'
import { type CreditFacts, moneyMove, type Stopped } from '../tasks/money.ts'
import type { Check, OwnMove } from '../tasks/terms.ts'

/** The facts that decide whether a task advances by itself. A fact counts only in the states that need it. */
export type TaskFacts = {
  state: TaskState
  /** The time limit of the state is over, by Postgres' clock. */
  due: boolean
  checks: Check[]
  agentTrusted: boolean
  inputSha256: string | null
  reviewDecision: string | null
  /** It is kept for agents that may claim its order. */
  onExchange: boolean
  runContractSha256: string
  runId: string
  slotFree: boolean
  /** The latest delivery of its callback, or the one that it is going to have; null: none is asked for. */
  callback: { deliveryId: string; state: CallbackState } | null
  /** The credit that was set aside for it; null: none was. */
  credit: CreditFacts | null
  stopped: Stopped | undefined
}

/** The transition that the service makes by itself from this state; undefined while the task waits for a caller or for time. */
export function ownMove(facts: TaskFacts): OwnMove | undefined {
  return moneyMove(facts.state, facts.credit, facts.stopped) ?? moveInTurn(facts)
}

function moveInTurn(facts: TaskFacts): OwnMove | undefined {
  const { state, due, checks, callback } = facts
  if (state === 'created')
    return {
      event: checks.every(({ ok }) => ok) ? 'preflight_passed' : 'preflight_rejected',
      data: { checks },
    }
  if (state === 'contract_ready' && due) return { event: 'contract_lapsed', data: {} }
  if (state === 'contract_accepted') return { event: 'trust_requested', data: {} }
  if (state === 'trust_pending' && facts.agentTrusted) return { event: 'trust_granted', data: {} }
  if (state === 'quoted' && due) return { event: 'quote_lapsed', data: {} }
  if (state === 'credit_pending' && due) return { event: 'credit_lapsed', data: {} }
  if (state === 'credit_funded') return enqueued(facts)
  if (state === 'queued' && facts.slotFree)
    return { event: 'started', data: { run_id: facts.runId } }
  if (state === 'receipt_issued' && callback === null) return { event: 'closed', data: {} }
  if (state === 'receipt_issued' && callback !== null)
    return { event: 'callback_scheduled', data: { delivery_id: callback.deliveryId } }
  if (state === 'callback_pending' && callback !== null) return delivered(callback)
  if (state === 'callback_delivered' || state === 'failed') return { event: 'closed', data: {} }
  return undefined
}

function delivered({ deliveryId, state }: NonNullable<TaskFacts['callback']>): OwnMove | undefined {
  if (isCallbackOpen(state)) return undefined
  if (state === 'delivered')
    return { event: 'callback_delivered', data: { delivery_id: deliveryId } }
  const why = state === 'disabled' ? 'the receiver wants no callbacks (410)' : 'all attempts failed'
  return {
    event: 'exception_raised',
    data: { code: 'callback_failed', detail: `${deliveryId}: ${why}` },
  }
}

/** Work needs its input and a review, in addition to the credit that the state proves. */
function enqueued({
  inputSha256,
  reviewDecision,
  onExchange,
  runContractSha256,
}: TaskFacts): OwnMove | undefined {
  if (inputSha256 === null || reviewDecision === null || onExchange) return undefined
  const data = {
    review_decision: reviewDecision,
    input_sha256: inputSha256,
    run_contract_sha256: runContractSha256,
  }
  return { event: 'enqueued', data }
}
