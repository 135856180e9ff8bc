import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { RecoverAct } from '#domain/tasks/recover-command.ts'
import type { ReceiptView } from '../../../activities/keys/receipt-view.ts'
import { signAct } from '../../../activities/payout/operator-act.ts'
import { requirePayout } from '../../../activities/store/payouts/payouts.ts'
import { type Tx, transaction, tryOut } from '../../../activities/store/postgres/db.ts'
import { openTaskException } from '../../../activities/store/tasks/task-exceptions.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/task/deps.ts'
import { wakePayout } from '../../../temporal/payouts.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import { recoverTask } from '../tasks/recover-task.ts'
import type { RecoverDeps } from './line.ts'
import { isTask, subjectOf } from './list.ts'

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
 * Runs an operator's command on a payout, a task or the task of a run, as over HTTP: records it with a signed receipt and notifies
 * the workflow. A payout takes `wake` alone. Throws the refusal of the command.
 */
export async function runCommand(
  deps: CommandDeps,
  operator: Operator,
  command: OperatorCommand,
): Promise<CommandResult> {
  const id = await subjectOf(deps, command.id)
  // Nothing is recorded for a workflow that cannot be notified.
  await notify(deps, id)
  const result = await transaction(deps.db, (tx) =>
    record(deps.tasks, tx, { ...command, id, operator }),
  )
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
  const tried = await tryOut(deps.db, (tx) => record(deps.tasks, tx, { ...command, id, operator }))
  return { ...tried, receipt: null }
}

async function notify({ db, client, gateway }: CommandDeps, subject: string): Promise<void> {
  if (isTask(subject)) await gateway.wake(subject)
  else await wakePayout(client, await requirePayout(db, subject))
}

async function record(
  tasks: TaskDeps,
  tx: Tx,
  { id, act, reason, input, key, operator }: OperatorCommand & { operator: Operator },
): Promise<CommandResult> {
  if (act === 'wake') {
    const state = await stateOf(tx, id)
    const receipt = await signAct(tasks, tx, { by: operator, act: { act, act_on: id, reason } })
    return { id, act, state, receipt }
  }
  if (!isTask(id))
    throw refuse('recovery_not_allowed', {
      detail: `${id} does not take ${act}: wake is the only command on a payout`,
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

async function stateOf(tx: Tx, id: string): Promise<string> {
  return isTask(id) ? (await requireTask(tx, id)).state : (await requirePayout(tx, id)).payout.state
}
