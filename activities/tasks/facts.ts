import { controlDenials } from '#domain/accounts/controls.ts'
import { callbackDeliveryId } from '#domain/callbacks/callback.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { priceOf } from '#domain/credit/pricing.ts'
import { railOf } from '#domain/rails/index.ts'
import { usagesOf } from '#domain/rails/rail.ts'
import type { TaskFacts } from '#domain/runs/automatic-transitions.ts'
import { type Check, preflightChecks, type TaskTerms, taskTerms } from '#domain/tasks/terms.ts'
import { mayBegin } from '../accounts/pauses.ts'
import { checkCallbackUrl } from '../callbacks/hosts.ts'
import { readControls } from '../store/accounts/controls.ts'
import { findAgent } from '../store/agents/agents.ts'
import { latestDelivery } from '../store/callbacks/callback-deliveries.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import { openTaskException } from '../store/tasks/task-exceptions.ts'
import { findDocument, type TaskRow } from '../store/tasks/tasks.ts'
import { creditFactsOf } from './credit.ts'
import type { TaskDeps } from './deps.ts'
import { heldForExchange } from './exchange.ts'
import { runContractOf } from './run-contract.ts'
import { slotFree } from './slots.ts'

/** What decides the next automatic transition of the locked task; reads only what its state needs. */
export async function factsOf(deps: TaskDeps, tx: Tx, task: TaskRow): Promise<TaskFacts> {
  const { state } = task
  return {
    state,
    due: task.due_at !== null && (await clockSeconds(tx)) * 1000 >= task.due_at.getTime(),
    checks: state === 'created' ? await preflight(deps, tx, task) : [],
    agentTrusted: state === 'trust_pending' && (await isTrusted(tx, task)),
    inputSha256: task.input_sha256,
    reviewDecision: task.review_decision,
    onExchange: (await heldForExchange(tx, task)) !== undefined,
    runContractSha256: state === 'credit_funded' ? digestOf(await runContractOf(tx, task)) : '',
    runId: runIdOf(task.task_id),
    slotFree: state === 'queued' && (await mayBegin(tx, task)) && (await slotFree(deps, tx, task)),
    callback: await callbackOf(tx, task),
    credit: await creditFactsOf(tx, task),
    stopped: await stoppedBy(tx, task),
  }
}

async function stoppedBy(
  tx: Tx,
  { task_id, resume_state }: TaskRow,
): Promise<TaskFacts['stopped']> {
  const exception = resume_state === null ? undefined : await openTaskException(tx, task_id)
  return exception && { code: exception.code, resumeState: resume_state }
}

/** The one run of a task; also the id of its workflow. */
export const runIdOf = (taskId: string): string =>
  `run_${digestOf({ type: 'service.run.v1', task_id: taskId })}`

/** The latest delivery of the task's callback, or else the first one, which is stored when it is scheduled. */
async function callbackOf(
  tx: Tx,
  { task_id, state, callback_url }: TaskRow,
): Promise<TaskFacts['callback']> {
  if (callback_url === null || (state !== 'receipt_issued' && state !== 'callback_pending'))
    return null
  const latest = await latestDelivery(tx, task_id, 'task_updated')
  return latest === undefined
    ? { deliveryId: callbackDeliveryId(task_id, 'task_updated', 1), state: 'pending' }
    : { deliveryId: latest.delivery_id, state: latest.state }
}

/** A sandbox agent, and a caller without an agent, is trusted with synthetic runs only. */
async function isTrusted(tx: Tx, { agent_id, usage }: TaskRow): Promise<boolean> {
  if (agent_id === null) return usage === 'synthetic'
  const state = (await findAgent(tx, agent_id))?.trust_state
  return state === 'trusted' || (state === 'sandbox_trusted' && usage === 'synthetic')
}

async function preflight({ callbackHosts }: TaskDeps, tx: Tx, task: TaskRow): Promise<Check[]> {
  const terms = taskTerms.parse(await findDocument(tx, task.task_id, task.terms_sha256))
  const { callback_url, agent_id, usage } = terms
  const callback =
    callback_url === null
      ? { ok: true, detail: 'no callback is requested' }
      : checkCallbackUrl(callbackHosts, callback_url, agent_id === null || usage === 'synthetic')
  const rail = railOf(terms.rail)
  const bytesMax = rail.tiers[terms.tier].bytes_max
  const checks = preflightChecks(terms, { takes: usagesOf(rail), bytesMax }, callback)
  return [...checks, ...(await accountChecks(tx, terms))]
}

const priceOfRun = (rail: TaskTerms['rail'], tier: TaskTerms['tier']): number =>
  railOf(rail).prices === null ? 0 : priceOf(railOf(rail), tier).total_usd

/** Whether the account of the agent allows the run; no check for a run without an agent. */
async function accountChecks(tx: Tx, terms: TaskTerms): Promise<Check[]> {
  const { agent_id, rail, tier, usage, callback_url: callbackUrl } = terms
  const held = agent_id === null ? undefined : await readControls(tx, { agentId: agent_id })
  if (held === undefined) return []
  const usd = usage === 'synthetic' ? 0 : priceOfRun(rail, tier)
  const denials = controlDenials(held.controls, { rail, usd, callbackUrl }, held.spent_today)
  const detail = denials.length === 0 ? 'the account allows it' : denials.join('; ')
  return [{ check: 'account_controls', ok: denials.length === 0, detail }]
}
