import { refuse } from '#domain/core/errors.ts'
import { hasEnded } from '#domain/pilots/pilot.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { nextTaskState } from '#domain/tasks/lifecycle.ts'
import { listEntries } from '../../../activities/store/pilots/entries.ts'
import {
  changePilot,
  findPilot,
  lockPilot,
  type PilotRow,
  waitingPilots,
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
import { reviewOf } from './record-subject.ts'
import type { DecisionTerms } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

const ENTRIES_SHOWN = 100

/**
 * Pilots that clients or their agents ask for, and invitations without an answer; any that has not ended can be closed, with its run.
 * The run of a pilot has a review of its own.
 */
export const pilotSubject = (deps: TaskDeps) =>
  reviewOf<PilotRow>({
    kind: 'pilot',
    name: 'pilot',
    rows: {
      find: (tx, pilot_id) => findPilot(tx, { pilot_id }),
      lock: async (tx, pilotId) => {
        await lockRun(tx, pilotId)
        return lockPilot(tx, pilotId)
      },
      waiting: waitingPilots,
    },
    since: ({ waiting_since, state_since }) => waiting_since ?? state_since,
    state: ({ state }) => state,
    isOver: ({ state }) => hasEnded(state),
    allowed: (pilot) => Object.keys(afterDecision(pilot)) as Decision[],
    line,
    content: contentOf,
    tasksOf: async (tx, { state, pilot_id }) => {
      const run = state === 'running' && (await findPilotRun(tx, { pilot_id }))
      return run ? [run.task_id] : []
    },
    decide: async (tx, pilot, terms) => {
      const { decision, decisionId } = terms
      const state = afterDecision(pilot)[decision]
      const run = await lockRun(tx, pilot.pilot_id)
      if (run !== undefined && pilot.state === 'running') await abandonRun(deps, tx, run, terms)
      const decision_id = pilot.decision_id ?? decisionId
      const decided = { state, decision_id, waiting_since: null }
      const view = await pilotView(tx, await changePilot(tx, pilot.pilot_id, decided))
      await decideOrder(tx, pilot, { decision, decision_id: decisionId })
      const run_id = view.runs[0] ?? null
      const { work_order_id } = view
      return { state: view.state, view, facts: { pilot_state: view.state, work_order_id, run_id } }
    },
  })

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

function line({ pilot_id, source, waiting_since, rail, tier, ...pilot }: PilotRow) {
  const { client, objective, expires_at, total_usd } = pilot
  const who = `${client.name} (${client.contact ?? 'no contact'})`
  const begin = [...objective].slice(0, 200).join('')
  const unanswered = `${who} has not answered the invitation to a ${rail} ${tier} pilot, which ends at ${expires_at?.toISOString()}`
  const asked =
    source === 'invitation' ? unanswered : `${who} asks for a ${rail} ${tier} pilot: ${begin}`
  const known = `A ${rail} ${tier} pilot of ${who} that is ${pilot.state}: ${begin}`
  return {
    subject_id: pilot_id,
    rail,
    summary: waiting_since === null ? known : asked,
    evidence_links: [
      { host: 'base' as const, path: `/api/pilot-conversation-tracker?pilot_id=${pilot_id}` },
    ],
    amount_usd: total_usd,
  }
}
