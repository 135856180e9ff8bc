import { refuse } from '#domain/core/errors.ts'
import { hasEnded } from '#domain/pilots/pilot.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { nextTaskState } from '#domain/tasks/lifecycle.ts'
import { listEntries } from '../../../activities/store/pilots/entries.ts'
import {
  changePilot,
  countWaitingPilots,
  findPilot,
  listWaitingPilots,
  lockPilot,
  type PilotRow,
} from '../../../activities/store/pilots/pilots.ts'
import { findPilotRun } from '../../../activities/store/pilots/runs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { openTaskException } from '../../../activities/store/tasks/task-exceptions.ts'
import { lockTask, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import {
  decideWorkOrder,
  findOrderOf,
  lockWorkOrder,
  type WorkOrderRow,
} from '../../../activities/store/work-orders/work-orders.ts'
import { eventRecorder } from '../../../activities/tasks/automatic-transitions.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { moneyMoved } from '../../../activities/tasks/exceptions.ts'
import { entryView, pilotView } from '../pilots/views.ts'
import { notAllowed, unknownSubject } from './evidence.ts'
import type { DecisionTerms, ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

const ENTRIES_SHOWN = 100

/**
 * Pilots that clients or their agents ask for, and invitations without an answer; any that has not ended can be closed, with its run.
 * The run of a pilot has a review of its own.
 */
export const pilotSubject = (deps: TaskDeps): ReviewSubject => ({
  kind: 'pilot',
  list: async (tx, filter, most) =>
    (await listWaitingPilots(tx, filter, most)).map((pilot) => ({
      since: sinceOf(pilot),
      describe: async () => listed(pilot),
    })),
  count: countWaitingPilots,
  tasksOf: async (tx, pilotId) => {
    const pilot = await findPilot(tx, { pilot_id: pilotId })
    const run = pilot?.state === 'running' && (await findPilotRun(tx, { pilot_id: pilotId }))
    return run ? [run.task_id] : []
  },
  evidence: async (tx, pilotId) => {
    const pilot = await findPilot(tx, { pilot_id: pilotId })
    return pilot && { since: sinceOf(pilot), content: await contentOf(tx, pilot) }
  },
  decide: async (tx, terms, assert) => {
    const { subjectId: pilotId, decision, decisionId } = terms
    const run = await lockRun(tx, pilotId)
    const pilot = await lockPilot(tx, pilotId)
    if (pilot === undefined) throw unknownSubject('no such pilot')
    await assert.waitsSince(hasEnded(pilot.state) ? undefined : sinceOf(pilot))
    const state = afterDecision(pilot)[decision]
    if (state === undefined) throw notAllowed(`the pilot is ${pilot.state}`, allowedOn(pilot))
    await assert.evidenceSeen()
    if (run !== undefined && pilot.state === 'running') await abandonRun(deps, tx, run, terms)
    const decision_id = pilot.decision_id ?? decisionId
    const decided = { state, decision_id, waiting_since: null }
    const view = await pilotView(tx, await changePilot(tx, pilotId, decided))
    await decideOrder(tx, pilot, { decision, decision_id: decisionId })
    const run_id = view.runs[0] ?? null
    return { state, view, facts: { pilot_state: state, work_order_id: view.work_order_id, run_id } }
  },
})

/** Since when a pilot waits, or is as it is. */
const sinceOf = ({ waiting_since, state_since }: PilotRow): Date => waiting_since ?? state_since

type LockedRun = { task: TaskRow; order: WorkOrderRow | undefined }

/** The run of a pilot with its order, locked in the order in which a decision about the order locks them. */
async function lockRun(tx: Tx, pilotId: string): Promise<LockedRun | undefined> {
  const run = await findPilotRun(tx, { pilot_id: pilotId })
  if (run === undefined) return undefined
  const orderId = await findOrderOf(tx, run.task_id)
  const order = orderId === undefined ? undefined : await lockWorkOrder(tx, orderId)
  const task = await lockTask(tx, run.task_id)
  return task && { task, order }
}

/**
 * Ends the run of a pilot that is closed: its credit is released, and its order is not decided again. Throws 409 `payment_pending`
 * until the outcome of a payment for it is known.
 */
async function abandonRun(
  deps: TaskDeps,
  tx: Tx,
  { task, order }: LockedRun,
  { decisionId, note, operator }: DecisionTerms,
): Promise<void> {
  const actor = `operator:${operator.operatorId}`
  const stopped = await openTaskException(tx, task.task_id)
  if ((await moneyMoved(tx, task, stopped?.resume_state ?? task.state)) === 'unknown')
    throw refuse('payment_pending', {
      detail: 'a payment for the run of the pilot is under way',
      next_action: 'Decide about its payment reference, or wait for its outcome; then close.',
      money_moved: 'unknown',
    })
  const record = eventRecorder(deps, tx, { taskId: task.task_id, command: decisionId })
  if (nextTaskState(task.state, 'exception_raised') !== undefined)
    await record('exception_raised', actor, { code: 'operator_hold', detail: note })
  await record('abandoned', actor, {})
  if (order?.decision === null)
    await decideWorkOrder(tx, order.work_order_id, { decision: 'reject', decision_id: decisionId })
}

type Decided = Partial<Record<Decision, 'activated' | 'rejected' | 'closed'>>

/** The state after each decision that is allowed now. */
function afterDecision({ state, waiting_since }: PilotRow): Decided {
  if (hasEnded(state)) return {}
  if (state === 'requested') return { approve: 'activated', reject: 'rejected' }
  if (state === 'accepted' && waiting_since !== null)
    return { approve: 'activated', reject: 'closed' }
  return { reject: 'closed' }
}

const allowedOn = (pilot: PilotRow) => Object.keys(afterDecision(pilot)) as Decision[]

/** The order of an intake is decided with it. */
async function decideOrder(
  tx: Tx,
  { work_order_id, state }: PilotRow,
  { decision, decision_id }: { decision: Decision; decision_id: string },
): Promise<void> {
  if (work_order_id === null || state !== 'requested') return
  if ((await lockWorkOrder(tx, work_order_id))?.decision !== null) return
  const decided = decision === 'approve' ? 'approve' : 'reject'
  await decideWorkOrder(tx, work_order_id, { decision: decided, decision_id })
}

async function contentOf(tx: Tx, pilot: PilotRow) {
  const { pilot_id, source, rail, tier, client, objective, agent_id, total_usd } = pilot
  const { workflow_description, desired_start, work_order_id, state } = pilot
  const { entries, total } = await listEntries(tx, pilot_id, { offset: 0, limit: ENTRIES_SHOWN })
  const run = await findPilotRun(tx, { pilot_id })
  return {
    request: { source, client, objective, workflow_description, desired_start, work_order_id },
    agent: agent_id === null ? undefined : await agentEvidence(tx, agent_id),
    price: { rail, tier, total_usd },
    terms: pilot.terms_sha256 && {
      terms_sha256: pilot.terms_sha256,
      expires_at: pilot.expires_at?.toISOString(),
    },
    history: {
      state,
      run: run === undefined ? null : runOf(await requireTask(tx, run.task_id)),
      entries_total: total,
      newest_entries: entries.map(entryView),
    },
  }
}

const runOf = ({ task_id, state, run_id, sequence, head_hash }: TaskRow) => ({
  task_id,
  state,
  run_id,
  sequence,
  head_hash,
})

function listed(pilot: PilotRow): WaitingSubject {
  const { pilot_id, source, waiting_since, rail, tier, client, objective, state, expires_at } =
    pilot
  const who = `${client.name} (${client.contact ?? 'no contact'})`
  const begin = [...objective].slice(0, 200).join('')
  const unanswered = `${who} has not answered the invitation to a ${rail} ${tier} pilot, which ends at ${expires_at?.toISOString()}`
  const asked =
    source === 'invitation' ? unanswered : `${who} asks for a ${rail} ${tier} pilot: ${begin}`
  const known = `A ${rail} ${tier} pilot of ${who} that is ${state}: ${begin}`
  return {
    subject_kind: 'pilot',
    subject_id: pilot_id,
    state,
    waiting_since: sinceOf(pilot).toISOString(),
    rail,
    summary: waiting_since === null ? known : asked,
    evidence_links: [
      { host: 'base', path: `/api/pilot-conversation-tracker?pilot_id=${pilot_id}` },
    ],
    amount_usd: pilot.total_usd,
    allowed_decisions: allowedOn(pilot),
  }
}
