import { loopStepDecisions } from '../reviews/review.ts'
import {
  type MissingEvidence,
  type PendingReview,
  type RequiredAction,
  reviewWait,
  type Wait,
} from '../reviews/wait.ts'
import { type RecoveryAction, recoverCommand } from './exception.ts'
import type { TaskState } from './lifecycle.ts'

/** `consent`: the owner of an order without an agent has to accept the input that an operator proposes. */
type StoppedBy = {
  id: string
  code: string
  recoveries: readonly string[]
  consent?: { workOrderId: string; inputSha256: string } | null
}

/** The facts that decide what a task waits for; ids are arguments of the call that ends the wait. */
export type WaitingTask = {
  taskId: string
  state: TaskState
  /** When it came into its state. */
  since: string
  /** Null for a task of an order without an agent, whose contract is made by the review of the order. */
  agentId: string | null
  rail: string
  tier: string
  contractId: string | null
  quoteId: string | null
  entitlementId: string | null
  hasInput: boolean
  isReviewed: boolean
  /** Its order is on the exchange. */
  onExchange?: true
  runId: string | null
  exception: StoppedBy | null
  /** The open dispute of a closed task, which stops nothing. */
  dispute?: { id: string; since: string }
  /** What the input lacks, while the task waits for that. */
  gaps: readonly MissingEvidence[]
  /** The decision that its run, its recovery, its agent or itself waits for. */
  review: PendingReview | null
}

const RECOVER = 'POST /api/agents/tasks/{token}/recover'
const TOKEN = '<task token>'
const KEY = { idempotency_key: '<new key>' }
const takesInput: readonly string[] = [
  'supply_evidence',
  'correct_input',
] satisfies RecoveryAction[]

/** What a task waits for and who must act; every view of a task and its run shows this. */
export function taskWait(task: WaitingTask): Wait {
  if (task.exception !== null) return recoveryWait(task, task.exception)
  if (task.dispute !== undefined) return disputeWait(task.taskId, task.dispute)
  if (task.state === 'credit_funded') return startWait(task)
  // A run whose gaps are waived has a result, and is reviewed as any other.
  if (task.review !== null && (task.state === 'operating' || task.state === 'result_ready'))
    return reviewWait('an operator to review the result', task.review, loopStepDecisions)
  if (task.review !== null && task.state === 'trust_pending')
    return reviewWait('an operator to trust the agent', task.review, ['approve', 'reject', 'hold'])
  if (task.state === 'evidence_partial') return evidenceWait(task)
  return { ...plainWait(task), since: task.since }
}

function recoveryWait(task: WaitingTask, exception: StoppedBy): Wait {
  const { id, code, recoveries, consent } = exception
  if (consent) return consentWait(task, consent)
  if (task.review !== null)
    return reviewWait(`an operator to review the recovery from ${code}`, task.review, [
      'approve',
      'reject',
    ])
  const what =
    task.state === 'replay_ready' ? `the replay after ${code}` : `a recovery from ${code}`
  const action = recoverAction(task.taskId, recoveries, { exception_id: id })
  return { what, waiting_for: ['recovery'], since: task.since, gaps: [], action }
}

/** An agent may end its dispute as well; it does not have to. */
function disputeWait(taskId: string, { id, since }: NonNullable<WaitingTask['dispute']>): Wait {
  const what = `an operator to end the dispute ${id} of the closed task`
  const action = recoverAction(taskId, ['abandon'], { exception_id: id })
  return {
    what,
    waiting_for: ['recovery'],
    since,
    gaps: [],
    action: { ...action, by: 'operator' },
  }
}

function consentWait(
  { runId, since }: WaitingTask,
  { workOrderId, inputSha256 }: NonNullable<StoppedBy['consent']>,
): Wait {
  const action = agentCall(`POST /api/work-orders/${workOrderId}/consent`, {
    run_id: runId,
    proposed_input_sha256: inputSha256,
    ...KEY,
  })
  const what = 'the owner of the order to accept the proposed input'
  return { what, waiting_for: ['recovery'], since, gaps: [], action }
}

function evidenceWait({ taskId, since, gaps }: WaitingTask): Wait {
  const needed = gaps.filter(({ kind }) => kind === 'needed')
  const codes = [...new Set(needed.map(({ code }) => code))]
  const lacks = 'evidence that the input lacks'
  const what = codes.length === 0 ? lacks : `${lacks}: ${codes.join(', ')}`
  const action = recoverAction(taskId, ['supply_evidence'], {})
  return { what, waiting_for: ['evidence'], since, gaps: [...gaps], action }
}

function recoverAction(
  taskId: string,
  recoveries: readonly string[],
  named: Record<string, string>,
): RequiredAction {
  const [action = ''] = recoveries
  const command = recoverCommand(taskId, action)
  const choices = [...recoveries]
  if (!takesInput.includes(action)) {
    const args = { ...named, action, note: '<why>', ...KEY }
    return { by: 'agent', call: RECOVER, arguments: args, choices, command }
  }
  const args = { ...named, action, input: '<the whole input>', note: '<why>', ...KEY }
  return {
    by: 'agent',
    call: RECOVER,
    arguments: args,
    choices,
    command: `${command} --input FILE`,
  }
}

/** A paid task starts with its input and, outside the sandbox, an operator's approval. */
function startWait(task: WaitingTask): Wait {
  const review = task.review && reviewWait('', task.review, ['approve', 'reject'])
  const needs: string[] = []
  const kinds: Wait['waiting_for'] = []
  if (!task.hasInput) {
    needs.push('the input')
    kinds.push('input')
  }
  if (!task.isReviewed) {
    needs.push('an operator to approve the start')
    kinds.push('review')
  }
  const submit = agentCall('POST /api/agent-self-serve-rail-loop', {
    task_token: TOKEN,
    contract_id: task.contractId,
    input: '<the input>',
    ...KEY,
  })
  return {
    what: needs.join(' and ') || (task.onExchange ? 'the exchange' : 'its run to be queued'),
    waiting_for: kinds,
    since: review?.since ?? task.since,
    gaps: [],
    action: task.hasInput ? (review?.action ?? null) : submit,
  }
}

const agentCall = (call: string, args: Record<string, unknown>): RequiredAction => ({
  by: 'agent',
  call,
  arguments: args,
  choices: [],
  command: null,
})

const fundCredit = (entitlementId: string | null): RequiredAction =>
  agentCall(`POST /api/agents/credits/${entitlementId}`, {
    payment_reference_id: '<of the payment>',
    ...KEY,
  })

type Plain = Omit<Wait, 'since'>
const waits = (
  what: string,
  waiting_for: Wait['waiting_for'] = [],
  action: RequiredAction | null = null,
): Plain => ({
  what,
  waiting_for,
  gaps: [],
  action,
})

function plainWait(task: WaitingTask): Plain {
  const { state, agentId, rail, tier, contractId, quoteId, entitlementId, runId } = task
  if (agentId === null && (state === 'preflight_checked' || state === 'contract_ready'))
    return waits('an operator to review its work order', ['review'])
  switch (state) {
    case 'preflight_checked':
      return waits(
        'a contract',
        [],
        agentCall('POST /api/agents/contracts', { task_token: TOKEN, ...KEY }),
      )
    case 'contract_ready': {
      const accepted = { terms_sha256: '<of the contract>', signature: '<Ed25519>', ...KEY }
      return waits(
        'the agent to accept the contract',
        [],
        agentCall(`POST /api/agents/contracts/${contractId}`, accepted),
      )
    }
    case 'trust_pending':
      return waits('an operator to trust the agent', ['review'])
    case 'trusted':
      return waits(
        'a quote',
        ['credit'],
        agentCall('POST /api/agents/quote', { rail, tier, task_token: TOKEN, ...KEY }),
      )
    case 'quoted': {
      const challenge = { mode: 'create_payment_challenge', quote_id: quoteId, ...KEY }
      return waits('a payment challenge', ['credit'], agentCall('POST /api/agent-use', challenge))
    }
    case 'credit_pending':
      return waits('the payment', ['credit'], fundCredit(entitlementId))
    case 'queued':
      return waits('a free run slot')
    case 'operating':
    case 'result_ready':
      return waits(`its run ${runId ?? ''}`.trim())
    case 'callback_pending':
      return waits('the callback to be delivered', ['callback'])
    case 'closed':
      return waits('nothing: the task is closed')
    default:
      return waits('the service')
  }
}
