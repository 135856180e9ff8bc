import { canonicalJson, digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import { documentsOf } from '#domain/rails/input/documents.ts'
import { uploadDigestsOf, uploadsOf } from '#domain/rails/input/uploads.ts'
import type { Rail, RailKey } from '#domain/rails/rail.ts'
import { taskStanding, taskStates } from '#domain/tasks/lifecycle.ts'
import { type TaskTerms, taskTerms } from '#domain/tasks/terms.ts'
import { findInput, useInput } from '../../../activities/store/inputs/agent-inputs.ts'
import { findExtraction } from '../../../activities/store/inputs/upload-checks.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  findDocument,
  lockTask,
  storeDocument,
  storeExtraction,
  type TaskRow,
  updateTask,
} from '../../../activities/store/tasks/tasks.ts'

/**
 * Stores the input of a task's run and returns its digest; the caller then wakes the task. Throws 409 `wrong_state` once the run
 * contract is sealed, 422 `evidence_mismatch` unless the preflight announced only digests of the input and of its uploads.
 */
export async function provideInput(tx: Tx, taskId: string, input: unknown): Promise<string> {
  const task = await lockUnsealed(tx, taskId)
  const { input_manifest } = taskTerms.parse(await findDocument(tx, taskId, task.terms_sha256))
  const { sha256, uploads } = await storeTaskInput(tx, task, input)
  const sized = await sizedUploads(tx, task.agent_id, uploads)
  assertManifest(input_manifest, [...manifestOf(input), ...sized])
  await updateTask(tx, { ...task, input_sha256: sha256 })
  return sha256
}

/** The manifest that announces an input; empty for any input that fits the rail. */
export function manifestOf(input: unknown): TaskTerms['input_manifest'] {
  if (input === undefined) return []
  const bytes = Buffer.byteLength(canonicalJson(input))
  return [{ name: 'input', sha256: digestOf(input), bytes }]
}

/** Throws 422 `evidence_mismatch` unless each announced digest is one of these, of the announced length. */
export function assertManifest(
  announced: TaskTerms['input_manifest'],
  given: readonly { sha256: string; bytes: number }[],
): void {
  const lengths = new Map(given.map(({ sha256, bytes }) => [sha256, bytes]))
  const unmatched = announced.filter(({ sha256 }) => !lengths.has(sha256))
  const names = unmatched.map(({ name }) => name).join(', ')
  if (unmatched.length > 0)
    throw refuse('evidence_mismatch', { detail: `the preflight announced others: ${names}` })
  const wrong = announced.filter(({ sha256, bytes }) => lengths.get(sha256) !== bytes)
  if (wrong.length === 0) return
  const said = wrong.map(
    ({ name, sha256, bytes }) => `${name} has ${lengths.get(sha256)} bytes, not ${bytes}`,
  )
  throw refuse('evidence_mismatch', { detail: said.join('; ') })
}

/** Each upload of an agent with its length; one that it does not have is left out. */
export async function sizedUploads(tx: Tx, owner: string | null, digests: readonly string[]) {
  const found =
    owner === null
      ? []
      : await Promise.all(digests.map((sha256) => findInput(tx, { owner, sha256 })))
  return found.flatMap((upload) =>
    upload === undefined ? [] : [{ sha256: upload.sha256, bytes: Number(upload.byte_length) }],
  )
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
  const asked = railOf(rail as RailKey)
  const uploads = uploadDigestsOf(asked, input)
  for (const sha256 of uploads) {
    const name = agent_id === null ? undefined : { owner: agent_id, sha256 }
    if (name === undefined || !(await useInput(tx, name, task_id)))
      throw refuse('evidence_mismatch', {
        detail: `there is no upload ${sha256}`,
        next_action: 'PUT it to /api/agent-inputs/{sha256} first.',
      })
  }
  if (agent_id !== null)
    await keepExtractions(tx, { taskId: task_id, owner: agent_id }, asked, input)
  return { sha256: await storeDocument(tx, task_id, input), uploads }
}

/** Keeps with a task what was read from the files of its input; a file that could not be read stops the run at its intake. */
async function keepExtractions(
  tx: Tx,
  { taskId, owner }: { taskId: string; owner: string },
  rail: Pick<Rail, 'rows' | 'documents'>,
  input: unknown,
): Promise<void> {
  const lists = Object.values(uploadsOf(rail, input)).map((named) => ({ ...named, rows: true }))
  const documents = documentsOf(rail, input).map(({ sha256 }) => ({
    sha256,
    sheet: null,
    rows: false,
  }))
  for (const { sha256, sheet, rows } of [...lists, ...documents]) {
    const read = await findExtraction(tx, { owner, sha256 }, { rows, sheet })
    if (read !== undefined) await storeExtraction(tx, taskId, read)
  }
}

/** Records the operator's decision that lets a task's run begin; the caller then wakes the task. */
export async function approveTask(tx: Tx, taskId: string, decisionId: string): Promise<void> {
  const task = await lockUnsealed(tx, taskId)
  if (task.review_decision !== null && task.review_decision !== decisionId)
    throw refuse('wrong_state', {
      detail: 'the task was reviewed before',
      next_action: 'Read its review.',
    })
  await updateTask(tx, { ...task, review_decision: decisionId })
}

async function lockUnsealed(tx: Tx, taskId: string): Promise<TaskRow> {
  const task = await lockTask(tx, taskId)
  if (task === undefined) throw refuse('not_found', { detail: 'no such task' })
  if (taskStates.indexOf(task.state) <= taskStates.indexOf('credit_funded')) return task
  throw refuse('wrong_state', {
    detail: `the run contract is sealed or the task is stopped: ${task.state}`,
    extra: taskStanding(task.state),
  })
}
