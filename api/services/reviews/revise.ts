import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import { faultsText, groupFaults, placedAt } from '#domain/rails/input/input-faults.ts'
import type { Rail, RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { openTaskException } from '../../../activities/store/tasks/task-exceptions.ts'
import { findDocument, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import { faultsOf } from '../inputs/asked-input.ts'
import { storeTaskInput } from '../tasks/input.ts'
import { requestRecovery } from '../tasks/recovery.ts'

type Input = Readonly<Record<string, unknown>>
/** What a revision changes: parameters that the rail declares, or the whole input, which the agent then has to accept. */
export type Revision = { readonly parameters: Input } | { readonly input: Input }

type Revising = {
  taskId: string
  decisionId: string
  note: string
  revision: Revision
  operator: { operatorId: string; name: string }
}

/** The parameters that a rail's run may be revised by, with their present values; null for a rail without any. */
export async function parametersOf(tx: Tx, task: TaskRow): Promise<Input | null> {
  const { parameters = [] } = railOf(task.rail as RailKey)
  if (parameters.length === 0) return null
  const input = await inputOf(tx, task)
  return Object.fromEntries(parameters.map((name) => [name, input[name] ?? null]))
}

/**
 * Stops the run for a revision, in the caller's transaction. With parameters the work begins again at once; a corrected input is a
 * proposal that the agent accepts by recovering the task with it. Returns the digest of the new input; throws 400 where nothing
 * changes or the input does not fit.
 */
export async function reviseRun(deps: TaskDeps, tx: Tx, asked: Revising): Promise<string> {
  const { taskId, decisionId, note, revision, operator } = asked
  const task = await requireTask(tx, taskId)
  const input = await revisedInput(tx, task, revision)
  const { sha256 } = await storeTaskInput(tx, task, input)
  if (sha256 === task.input_sha256) throw unchanged()
  const by = { actor: `operator:${operator.operatorId}`, actorName: operator.name } as const
  const proposal = 'input' in revision ? { proposed_input_sha256: sha256 } : {}
  await recordTransition(deps, tx, {
    taskId,
    ...by,
    event: 'exception_raised',
    eventId: `${decisionId}:revised`,
    data: { code: 'operator_hold', detail: note.slice(0, 2000), ...proposal },
  })
  if ('input' in revision) return sha256
  await requestRecovery(deps, tx, {
    taskId,
    ...by,
    recoveryId: `rec_${digestOf({ type: 'revision', decision_id: decisionId })}`,
    exceptionId: (await openTaskException(tx, taskId))?.exception_id,
    action: 'correct_input',
    input,
    note,
    decided: true,
  })
  return sha256
}

async function revisedInput(tx: Tx, task: TaskRow, revision: Revision): Promise<Input> {
  const input = 'input' in revision ? revision.input : await withParameters(tx, task, revision)
  const pointer = 'input' in revision ? '/revision/input' : '/revision/parameters'
  const faults = faultsOf(task.rail as RailKey, input)
  if (faults.length > 0)
    throw wrongRevision(faultsText(faults), { faults: groupFaults(placedAt(pointer, faults)) })
  return input
}

async function withParameters(
  tx: Tx,
  task: TaskRow,
  { parameters }: { parameters: Input },
): Promise<Input> {
  const { key, parameters: declared = [] }: Rail = railOf(task.rail as RailKey)
  const foreign = Object.keys(parameters).find((name) => !declared.includes(name))
  if (foreign !== undefined)
    throw wrongRevision(`${foreign} is no parameter of ${key}: ${declared.join(', ') || 'none'}`)
  const merged = { ...(await inputOf(tx, task)), ...parameters }
  if (digestOf(merged) === task.input_sha256) throw unchanged()
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}

async function inputOf(tx: Tx, { task_id, input_sha256 }: TaskRow): Promise<Input> {
  if (input_sha256 === null) throw new Error('a run in review has an input')
  return (await findDocument(tx, task_id, input_sha256)) as Input
}

const unchanged = () =>
  wrongRevision('the revision changes nothing, so the result would be the same')

const wrongRevision = (detail: string, extra: Record<string, unknown> = {}) =>
  refuse('invalid_request', {
    detail,
    errors: [{ pointer: '/revision', message: detail }],
    extra,
  })
