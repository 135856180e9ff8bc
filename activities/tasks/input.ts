import { refuse } from '../../workflows/domain/errors.ts'
import { railOf } from '../../workflows/domain/rails/index.ts'
import type { RailKey } from '../../workflows/domain/rails/rail.ts'
import { uploadsOf } from '../../workflows/domain/rails/uploads.ts'
import { taskStanding, taskStates } from '../../workflows/domain/task-lifecycle.ts'
import { taskTerms } from '../../workflows/domain/task-terms.ts'
import { useInput } from '../store/agent-inputs.ts'
import type { Tx } from '../store/db.ts'
import { findDocument, lockTask, storeDocument, type TaskRow, updateTask } from '../store/tasks.ts'

/**
 * Stores the input of a task's run and returns its digest; the task is then to be woken. Throws 409 `wrong_state` once the run
 * contract is sealed, 422 `evidence_mismatch` unless each digest that the preflight announced is that of the input, or of an
 * upload that it names.
 */
export async function provideInput(tx: Tx, taskId: string, input: unknown): Promise<string> {
  const task = await lockUnsealed(tx, taskId)
  const { input_manifest } = taskTerms.parse(await findDocument(tx, taskId, task.terms_sha256))
  const { sha256, uploads } = await storeTaskInput(tx, task, input)
  const astray = input_manifest.filter((announced) => ![sha256, ...uploads].includes(announced.sha256))
  if (astray.length > 0) {
    const names = astray.map(({ name }) => name).join(', ')
    throw refuse('evidence_mismatch', `the preflight announced others: ${names}`, 'Send what was announced.')
  }
  await updateTask(tx, { ...task, input_sha256: sha256 })
  return sha256
}

/**
 * Stores an input by its digest and holds the uploads that it names until the task closes. Throws 422 `evidence_mismatch` for
 * an upload that the agent does not have.
 */
export async function storeTaskInput(
  tx: Tx,
  { task_id, agent_id, rail }: TaskRow,
  input: unknown,
): Promise<{ sha256: string; uploads: string[] }> {
  const uploads = Object.values(uploadsOf(railOf(rail as RailKey), input))
  for (const sha256 of uploads)
    if (agent_id === null || !(await useInput(tx, { owner: agent_id, sha256 }, task_id)))
      throw refuse('evidence_mismatch', `there is no upload ${sha256}`, 'PUT it to /api/agent-inputs/{sha256} first.')
  return { sha256: await storeDocument(tx, task_id, input), uploads }
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
    extra: taskStanding(task.state),
  })
}
