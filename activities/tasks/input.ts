import { refuse } from '../../workflows/domain/errors.ts'
import { taskStates } from '../../workflows/domain/task-lifecycle.ts'
import { taskTerms } from '../../workflows/domain/task-terms.ts'
import type { Tx } from '../store/db.ts'
import { findDocument, lockTask, storeDocument, type TaskRow, updateTask } from '../store/tasks.ts'

/**
 * Stores the input of a task's run and returns its digest; the task is then to be woken. Throws 409 `wrong_state` once the run
 * contract is sealed, 422 `evidence_mismatch` for an input that the preflight did not announce.
 */
export async function provideInput(tx: Tx, taskId: string, input: unknown): Promise<string> {
  const task = await lockUnsealed(tx, taskId)
  const { input_manifest } = taskTerms.parse(await findDocument(tx, taskId, task.terms_sha256))
  const sha256 = await storeDocument(tx, taskId, input)
  const announced = input_manifest.length === 0 || input_manifest.some((entry) => entry.sha256 === sha256)
  if (!announced)
    throw refuse('evidence_mismatch', 'the preflight announced another input', 'Send the input that was announced.')
  await updateTask(tx, { ...task, input_sha256: sha256 })
  return sha256
}

/** Records the operator's decision that lets a task's run begin; the task is then to be woken. */
export async function approveTask(tx: Tx, taskId: string, decisionId: string): Promise<void> {
  const task = await lockUnsealed(tx, taskId)
  if (task.review_decision !== null && task.review_decision !== decisionId)
    throw refuse('wrong_state', 'the task was reviewed before', 'Read its review.')
  await updateTask(tx, { ...task, review_decision: decisionId })
}

async function lockUnsealed(tx: Tx, taskId: string): Promise<TaskRow> {
  const task = await lockTask(tx, taskId)
  if (task === undefined) throw refuse('not_found', 'no such task', 'Check the task token.')
  if (taskStates.indexOf(task.state) <= taskStates.indexOf('credit_funded')) return task
  throw refuse('wrong_state', `the run contract is sealed or the task is stopped: ${task.state}`, 'Read the task.', {
    extra: { state: task.state },
  })
}
