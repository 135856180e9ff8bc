import { nextAction, type Wait } from '#domain/reviews/wait.ts'
import { recoveriesOf } from '#domain/tasks/exception.ts'
import { taskWait } from '#domain/tasks/wait.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { ContractRow } from '../../../activities/store/tasks/contracts.ts'
import type {
  RecoveryRequestRow,
  TaskExceptionRow,
} from '../../../activities/store/tasks/task-exceptions.ts'
import type { TaskRecord } from '../../../activities/store/tasks/task-records.ts'
import { findDocument, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { readGaps } from '../../../activities/tasks/gaps.ts'
import { snapshotOf } from '../../../activities/tasks/snapshot.ts'
import { RecoveryRequest, TaskException } from '../../shapes/recovery.ts'
import { viewOf } from '../../view.ts'
import type { ContractTerms } from './contract-terms.ts'

/** A task as callers see it; its token is returned only where the task begins. */
export async function taskView(tx: Tx, row: TaskRow) {
  const snapshot = await snapshotOf(tx, row, [])
  const { task_id, state, resume_state, rail, tier, usage, agent_id, run_id } = row
  const { contract_id, quote_id, entitlement_id, changed_at } = row
  return {
    task_id,
    state,
    resume_state,
    rail,
    tier,
    usage,
    agent_id,
    run_id,
    contract_id,
    quote_id,
    entitlement_id,
    updated_at: changed_at.toISOString(),
    ...waitView(taskWait(snapshot)),
    gaps: run_id === null ? [] : await readGaps(tx, run_id),
  }
}

/** A wait as callers see it: its reason and start, the gaps in the input, and the call that ends it. */
function waitView(wait: Wait) {
  const { waiting_for, since, gaps, action } = wait
  return {
    waiting_for,
    waiting_since: since,
    gaps,
    required_action: action,
    next_action: nextAction(wait),
  }
}

/** A contract with its prepared terms and its current payment. */
export async function contractView(tx: Tx, contract: ContractRow, task: TaskRow) {
  const terms = (await findDocument(tx, task.task_id, contract.terms_sha256)) as ContractTerms
  const { terms_sha256, state, accepted_by, accepted_at, run_contract } = contract
  const payment = { quote_id: task.quote_id, entitlement_id: task.entitlement_id }
  const accepted = { accepted_by, accepted_at: accepted_at?.toISOString() ?? null }
  return { ...terms, payment, terms_sha256, state, ...accepted, run_contract: run_contract ?? null }
}

/** An exception of a task as callers see it. */
export const taskExceptionView = (row: TaskExceptionRow) =>
  viewOf(TaskException, {
    ...row,
    declined_input: row.declined,
    allowed_recoveries: row.closed_at === null ? [...recoveriesOf(row)] : [],
  })

/** A runtime record, by its kind and its id. */
export const recordView = ({
  record_kind,
  record_id,
  recorded_at,
}: Omit<TaskRecord, 'task_id'>) => ({
  record_kind,
  record_id,
  recorded_at: recorded_at.toISOString(),
})

/** A request to recover a task as callers see it. */
export const recoveryView = (row: RecoveryRequestRow) =>
  viewOf(RecoveryRequest, { ...row, needs_review: row.state === 'requested' })
