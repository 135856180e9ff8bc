import { resultContractVersion } from '#domain/core/contract-sets.ts'
import { type LoopStep, loopSteps } from '#domain/tasks/controlled-loop.ts'
import type { DerivedTokens } from '../../../activities/keys/derived-tokens.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { findLiveOf } from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { latestEvent } from '../../../activities/store/runs/agent-runs.ts'
import {
  findReturnPackage,
  findRun,
  type LoopStepTimes,
  listStepTimes,
  type RunRow,
} from '../../../activities/store/runs/runs.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findOrderOf } from '../../../activities/store/work-orders/work-orders.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { isDelivered } from '../tasks/outcome.ts'
import { taskView } from '../tasks/views.ts'

/** A run is shown with its token, which is derived from the call that began its task and never stored. */
export type RunViewDeps = {
  readonly tokens: DerivedTokens
  readonly baseUrl: string
  readonly osUrl: string
}

/** A run as its owner sees it; its state is that of its task, also before the work begins. */
export async function runView(deps: RunViewDeps, tx: Tx, task: TaskRow) {
  const run_id = runIdOf(task.task_id)
  const run = await findRun(tx, run_id)
  const view = await taskView(tx, task)
  const submitted = await latestEvent(tx, task.task_id, 'submit')
  const task_token = await deps.tokens.statusToken('tk', submitted?.event_id ?? '')
  return {
    run_id,
    task_id: view.task_id,
    task_token,
    state: view.state,
    rail: view.rail,
    tier: view.tier,
    usage: view.usage,
    quote_id: view.quote_id,
    entitlement_id: view.entitlement_id,
    waiting_for: view.waiting_for,
    waiting_since: view.waiting_since,
    gaps: view.gaps,
    required_action: view.required_action,
    next_action: view.next_action,
    loop: loopView(run, run === undefined ? [] : await listStepTimes(tx, run_id)),
    work_order_id: (await findOrderOf(tx, task.task_id)) ?? null,
    ...(await paidBy(tx, task)),
    ...(await madeBy(tx, task)),
    links: linksOf(deps, task_token, run_id),
  }
}

/** The version of the result of a run, with the receipts that fund and charge it so far. */
export const resultContractOf = ({
  settlement_receipt_id,
  usage_receipt_id,
}: Pick<Awaited<ReturnType<typeof runView>>, 'settlement_receipt_id' | 'usage_receipt_id'>) => ({
  ...resultContractVersion,
  settlement_receipt_id,
  usage_receipt_id,
})

async function paidBy(tx: Tx, { task_id, entitlement_id }: TaskRow) {
  const entitlement =
    entitlement_id === null ? undefined : await findEntitlement(tx, entitlement_id)
  const reference = entitlement_id === null ? undefined : await findLiveOf(tx, entitlement_id)
  const usage_receipt_id = (await latestEvent(tx, task_id, 'receipts_issued'))?.data[
    'usage_receipt_id'
  ]
  return {
    payment_reference_id: reference?.payment_reference_id ?? null,
    settlement_receipt_id: entitlement?.settlement_receipt_id ?? null,
    usage_receipt_id: typeof usage_receipt_id === 'string' ? usage_receipt_id : null,
  }
}

/** What a run has made; its completion is signed for those who paid for it, so it is shown once it is delivered. */
async function madeBy(tx: Tx, { task_id }: TaskRow) {
  const made = await findReturnPackage(tx, runIdOf(task_id))
  const delivered = (await isDelivered(tx, task_id)) ? made : undefined
  return {
    return_package_id: made?.return_package_id ?? null,
    proof_hash: made?.proof_hash ?? null,
    completion_signature: delivered?.completion_signature ?? null,
  }
}

function linksOf({ baseUrl, osUrl }: RunViewDeps, token: string, runId: string) {
  const task = `${osUrl}/api/agents/tasks/${token}`
  return {
    run: `${baseUrl}/api/agent-use?run_id=${runId}`,
    status: `${baseUrl}/api/agents/status/${token}`,
    return_package: `${baseUrl}/api/agents/status/${token}/return-package`,
    ledger: `${task}/ledger`,
    exceptions: `${task}/exceptions`,
    attestation: `${task}/attestation`,
    steps: `${task}/steps`,
  }
}

/** The nine steps in order, as the current attempt left them; a step that a later round repeats is `to_do`. */
export function loopView(run: RunRow | undefined, taken: readonly LoopStepTimes[]) {
  const at = run?.step == null ? loopSteps.length : loopSteps.indexOf(run.step)
  const hasEndedEarly = run === undefined || (run.step === null && run.finished_at === null)
  const left = (step: LoopStep, index: number) =>
    taken.findLast(
      (one) =>
        one.step === step &&
        one.attempt === run?.attempt &&
        (index < at || one.round === run.round),
    )
  const steps = loopSteps.map((step, index) => {
    const last = run === undefined ? undefined : left(step, index)
    return {
      step,
      state: stepStateOf(last),
      started_at: last?.started_at.toISOString() ?? null,
      finished_at: last?.finished_at?.toISOString() ?? null,
      output_sha256: last?.output_sha256 ?? null,
      tries: last?.tries ?? 0,
    }
  })
  return { step: run?.step ?? null, index: hasEndedEarly ? null : at, steps }
}

function stepStateOf(last: LoopStepTimes | undefined) {
  return last === undefined ? ('to_do' as const) : (last.verdict ?? ('waits' as const))
}

/** What the reader of a package does with the receipt of its run. */
export const receiptActions = (baseUrl: string, receipt: string) => [
  {
    action: 'fetch_receipt' as const,
    method: 'GET' as const,
    url: `${baseUrl}/api/receipts/${receipt}/bundle`,
    purpose:
      'The signed receipt, its place in the log and the keys: all that verifies it offline. 409 not_ready until the log has it.',
  },
  {
    action: 'verify_receipt' as const,
    method: 'GET' as const,
    url: `${baseUrl}/api/verify-receipt?receipt_id=${receipt}`,
    purpose: 'Has the service judge the receipt.',
  },
  {
    action: 'record_receipt' as const,
    method: 'POST' as const,
    url: `${baseUrl}/api/agent-use`,
    purpose: 'Accepts or disputes the result: mode record_agent_use_receipt with receipt_id.',
  },
]
