import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { RecoverAct } from '#domain/tasks/exception.ts'
import type { ReceiptView } from '../../../activities/keys/receipt-view.ts'
import { signAct } from '../../../activities/payouts/operator-act.ts'
import { requirePayout } from '../../../activities/store/payouts/payouts.ts'
import { type Tx, transaction, tryOut } from '../../../activities/store/postgres/db.ts'
import { findOpenRow, type TargetAges } from '../../../activities/store/recovery/late-rows.ts'
import { openTaskException } from '../../../activities/store/tasks/task-exceptions.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { wakes } from '../../../temporal/late-rows.ts'
import { wakePayout } from '../../../temporal/payouts.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import { recoverTask } from '../tasks/recover-task.ts'
import type { RecoverDeps } from './line.ts'
import { isPayout, isTask, subjectOf } from './list.ts'

export type CommandDeps = RecoverDeps & {
  tasks: TaskDeps
  gateway: Pick<TaskGateway, 'wake'>
}

type Operator = { operatorId: string; name: string }
export type OperatorCommand = {
  id: string
  act: RecoverAct
  reason: string
  input: unknown
  /** A repeat with the same key finds what the first one recorded. */
  key: string
}
/** The state after the command, and its signed receipt; null for a dry run. */
export type CommandResult = {
  id: string
  act: RecoverAct
  state: string
  receipt: ReceiptView | null
}

/**
 * Runs an operator's command on a payout, a task, the task of a run or another open row, as over HTTP: records it with a signed
 * receipt and notifies the workflow. All but a task take `wake` alone. Throws the refusal of the command.
 */
export async function runCommand(
  deps: CommandDeps,
  operator: Operator,
  command: OperatorCommand,
): Promise<CommandResult> {
  const id = await subjectOf(deps, command.id)
  // Nothing is recorded for a workflow that cannot be notified.
  await notify(deps, id)
  const result = await transaction(deps.db, (tx) => record(deps, tx, { ...command, id, operator }))
  await notify(deps, id)
  return result
}

/** The result that the command would have; its transaction is rolled back, and no workflow is notified. */
export async function tryCommand(
  deps: CommandDeps,
  operator: Operator,
  command: OperatorCommand,
): Promise<CommandResult> {
  const id = await subjectOf(deps, command.id)
  const tried = await tryOut(deps.db, (tx) => record(deps, tx, { ...command, id, operator }))
  return { ...tried, receipt: null }
}

async function notify({ db, client, gateway, ages }: CommandDeps, subject: string): Promise<void> {
  if (isTask(subject)) return gateway.wake(subject)
  if (isPayout(subject)) return wakePayout(client, await requirePayout(db, subject))
  const row = await findOpenRow(db, ages, subject)
  if (row !== undefined) await wakes[row.subject].wake({ client, db }, subject)
}

async function record(
  { tasks, ages }: Pick<CommandDeps, 'tasks' | 'ages'>,
  tx: Tx,
  { id, act, reason, input, key, operator }: OperatorCommand & { operator: Operator },
): Promise<CommandResult> {
  if (act === 'wake') {
    const state = await stateOf(tx, ages, id)
    const receipt = await signAct(tasks, tx, { by: operator, act: { act, act_on: id, reason } })
    return { id, act, state, receipt }
  }
  if (!isTask(id))
    throw refuse('recovery_not_allowed', {
      detail: `${id} does not take ${act}: wake is the only command on what is no task`,
      next_action: 'Wake it.',
    })
  const { body } = await recoverTask(tasks, tx, {
    taskId: id,
    action: act,
    note: reason,
    input,
    exceptionId: (await openTaskException(tx, id))?.exception_id,
    recoveryId: `rec_${digestOf({ operator: operator.operatorId, key, id })}`,
    actor: `operator:${operator.operatorId}`,
    actorName: operator.name,
    decided: true,
  })
  return { id, act, state: body.task.state, receipt: body.receipt }
}

async function stateOf(tx: Tx, ages: TargetAges, id: string): Promise<string> {
  if (isTask(id)) return (await requireTask(tx, id)).state
  if (isPayout(id)) return (await requirePayout(tx, id)).payout.state
  return (await findOpenRow(tx, ages, id))?.state ?? 'over'
}
