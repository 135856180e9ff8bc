import { randomUUID } from 'node:crypto'
import { signAct } from '../../activities/operator-acts.ts'
import type { ReceiptView } from '../../activities/receipt-view.ts'
import { type Tx, transaction } from '../../activities/store/db.ts'
import { requirePayout } from '../../activities/store/payouts.ts'
import { openTaskException } from '../../activities/store/task-exceptions.ts'
import { requireTask } from '../../activities/store/tasks.ts'
import type { TaskDeps } from '../../activities/tasks/deps.ts'
import { recoverTask } from '../../activities/tasks/recovery-answer.ts'
import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { recoveryActions } from '../../workflows/domain/task-exception.ts'
import { wakePayout } from '../payouts.ts'
import type { createTaskGateway } from '../tasks.ts'
import type { RecoverDeps } from './line.ts'
import { isTask, subjectOf } from './list.ts'

export type ActDeps = RecoverDeps & { tasks: TaskDeps; gateway: Pick<ReturnType<typeof createTaskGateway>, 'wake'> }

/** What an operator can do to what is stuck: have its workflow read its row again, or one of a task's recoveries. */
export const recoverActs = ['wake', ...recoveryActions] as const
export type RecoverAct = (typeof recoverActs)[number]

type Operator = { operatorId: string; name: string }
export type Acting = { id: string; act: RecoverAct; reason: string; input: unknown }
/** The state that the act leaves, and its signed receipt; null for one that was only tried. */
export type Acted = { id: string; act: RecoverAct; state: string; receipt: ReceiptView | null }

/**
 * An operator's act on a payout, a task or the task of a run, the same as over HTTP: recorded with its signed receipt, and the
 * workflow told. A payout takes `wake` alone. Throws what refuses the act.
 */
export async function actOn(deps: ActDeps, operator: Operator, acting: Acting): Promise<Acted> {
  const subject = await subjectOf(deps, acting.id)
  // Nothing is recorded of what cannot be told.
  await tell(deps, subject)
  const acted = await transaction(deps.db, (tx) => record(deps.tasks, tx, operator, { ...acting, id: subject }))
  await tell(deps, subject)
  return acted
}

/** What the same act would leave, or who refuses it, with all that it wrote undone and nobody told. */
export async function tryActOn(deps: ActDeps, operator: Operator, acting: Acting): Promise<Acted> {
  const id = await subjectOf(deps, acting.id)
  const tried = transaction(deps.db, async (tx) => {
    throw new Undone(await record(deps.tasks, tx, operator, { ...acting, id }))
  })
  return tried.catch((error: unknown) => {
    if (error instanceof Undone) return { ...error.acted, receipt: null }
    throw error
  })
}

class Undone extends Error {
  readonly acted: Acted
  constructor(acted: Acted) {
    super('tried, and undone')
    this.acted = acted
  }
}

async function tell({ db, client, gateway }: ActDeps, subject: string): Promise<void> {
  if (isTask(subject)) await gateway.wake(subject)
  else await wakePayout(client, await requirePayout(db, subject))
}

async function record(
  tasks: TaskDeps,
  tx: Tx,
  { operatorId, name }: Operator,
  { id, act, reason, input }: Acting,
): Promise<Acted> {
  if (act === 'wake') {
    const state = isTask(id) ? (await requireTask(tx, id)).state : (await requirePayout(tx, id)).payout.state
    return { id, act, state, receipt: await signAct(tasks, tx, { operatorId, name }, { act, act_on: id, reason }) }
  }
  if (!isTask(id)) throw new Error(`${id} takes no ${act}: the one act on a payout is wake`)
  const { body } = await recoverTask(tasks, tx, {
    taskId: id,
    action: act,
    note: reason,
    input,
    exceptionId: (await openTaskException(tx, id))?.exception_id,
    recoveryId: `rec_${digestOf({ operator: operatorId, act: randomUUID() })}`,
    actor: `operator:${operatorId}`,
    actorName: name,
    decided: true,
  })
  return { id, act, state: body.task.state, receipt: body.receipt }
}
