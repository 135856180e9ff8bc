import { type LoopStep, loopSteps } from '../../workflows/domain/controlled-loop.ts'
import type { DerivedTokens } from '../keys/derived-tokens.ts'
import { latestEvent } from '../store/agent-runs.ts'
import type { Tx } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import { findLiveOf } from '../store/payment-references.ts'
import { findReturnPackage, findRun, type LoopStepRow, listLoopSteps, type RunRow } from '../store/runs.ts'
import type { TaskRow } from '../store/tasks.ts'
import { findOrderOf } from '../store/work-orders.ts'
import { runIdOf } from '../tasks/facts.ts'
import { taskView } from '../tasks/views.ts'

/** What a run is shown with: its token is derived anew from the call that began its task, and stored nowhere. */
export type RunViewDeps = { readonly tokens: DerivedTokens; readonly baseUrl: string; readonly osUrl: string }
export type RunView = Awaited<ReturnType<typeof runView>>

/** A run as its owner sees it (endpoints.md §2): its state is that of its task, also before the work begins. */
export async function runView(deps: RunViewDeps, tx: Tx, task: TaskRow) {
  const run_id = runIdOf(task.task_id)
  const run = await findRun(tx, run_id)
  const { task_id, state, rail, tier, usage, quote_id, entitlement_id, ...shown } = await taskView(tx, task)
  const { waiting_for, waiting_since, gaps, required_action, next_action } = shown
  const submitted = await latestEvent(tx, task_id, 'submit')
  const task_token = await deps.tokens.statusToken('tk', submitted?.event_id ?? '')
  return {
    run_id,
    task_id,
    task_token,
    state,
    rail,
    tier,
    usage,
    quote_id,
    entitlement_id,
    waiting_for,
    waiting_since,
    gaps,
    required_action,
    next_action,
    loop: loopView(run, run === undefined ? [] : await listLoopSteps(tx, run_id)),
    work_order_id: (await findOrderOf(tx, task_id)) ?? null,
    ...(await paidBy(tx, task)),
    ...(await madeBy(tx, run_id)),
    links: linksOf(deps, task_token, run_id),
  }
}

async function paidBy(tx: Tx, { task_id, entitlement_id }: TaskRow) {
  const entitlement = entitlement_id === null ? undefined : await findEntitlement(tx, entitlement_id)
  const reference = entitlement_id === null ? undefined : await findLiveOf(tx, entitlement_id)
  const usage_receipt_id = (await latestEvent(tx, task_id, 'receipts_issued'))?.data['usage_receipt_id']
  return {
    payment_reference_id: reference?.payment_reference_id ?? null,
    settlement_receipt_id: entitlement?.settlement_receipt_id ?? null,
    usage_receipt_id: typeof usage_receipt_id === 'string' ? usage_receipt_id : null,
  }
}

async function madeBy(tx: Tx, runId: string) {
  const made = await findReturnPackage(tx, runId)
  return {
    return_package_id: made?.return_package_id ?? null,
    proof_hash: made?.proof_hash ?? null,
    completion_signature: made?.completion_signature ?? null,
  }
}

function linksOf({ baseUrl, osUrl }: RunViewDeps, token: string, runId: string) {
  const task = `${osUrl}/api/agents/tasks/${token}`
  return {
    run: `${baseUrl}/api/agent-use?run_id=${runId}`,
    status: `${baseUrl}/api/agents/status/${token}`,
    ledger: `${task}/ledger`,
    exceptions: `${task}/exceptions`,
    attestation: `${task}/attestation`,
  }
}

/** The nine steps in their order, as the current attempt has left them; what a later round goes over again is to be done. */
function loopView(run: RunRow | undefined, taken: readonly LoopStepRow[]) {
  const at = run?.step == null ? loopSteps.length : loopSteps.indexOf(run.step)
  const left = (step: LoopStep, index: number) =>
    taken.findLast(
      (one) => one.step === step && one.attempt === run?.attempt && (index < at || one.round === run.round),
    )
  const steps = loopSteps.map((step, index) => {
    const last = run === undefined ? undefined : left(step, index)
    return {
      step,
      state: last === undefined ? ('to_do' as const) : (last.verdict ?? ('waits' as const)),
      started_at: last?.started_at.toISOString() ?? null,
      finished_at: last?.finished_at?.toISOString() ?? null,
      output_sha256: last?.output_sha256 ?? null,
    }
  })
  return { step: run?.step ?? null, index: run === undefined ? null : at, steps }
}
