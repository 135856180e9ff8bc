import { randomUUID } from 'node:crypto'
import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client'
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common'
import type { Logger } from 'pino'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { listBehindMoney } from '../activities/store/tasks/task-credits.ts'
import { findTask } from '../activities/store/tasks/tasks.ts'
import { searchAttributes } from '../workflows/shared/search-attributes.ts'
import { showSignal, wakeSignal } from '../workflows/shared/signals.ts'
import { taskAttributes, taskSummary } from '../workflows/tasks/details.ts'
import { advanceUpdate } from '../workflows/tasks/messages.ts'
import type { task as taskWorkflow } from '../workflows/tasks/workflow.ts'
import { TASKS_QUEUE } from './queues.ts'
import { durableStep, NOTIFY_MS, type UpdateDeps } from './updates.ts'

type Known = Pick<TaskTerms, 'rail' | 'tier' | 'usage' | 'agent_id'>

/** Has task workflows read their rows; its effect is read from the rows too. Only DomainError is thrown. */
export function createTaskGateway(deps: UpdateDeps) {
  const { client } = deps
  return {
    /** Makes the automatic transitions that the stored facts of the task allow, such as its money, and waits for them. 404 without it. */
    advance: (taskId: string): Promise<void> =>
      durableStep(deps, {
        workflowId: taskId,
        send: (updateId) => advance(deps, taskId, updateId),
        slots: limits.updatesInFlightMax,
      }),

    /** Makes the workflow of the task read its row and continue, in a new run if none is open. */
    async wake(taskId: string): Promise<void> {
      const known = await knownTask(deps, taskId)
      await durableStep(deps, {
        workflowId: taskId,
        send: () => signalTask(client, taskId, known),
      })
    },
  }
}

export type TaskGateway = ReturnType<typeof createTaskGateway>

type Deps = Pick<UpdateDeps, 'client' | 'db'>

/** Updates the workflow of a stored task; starts it if none is open. */
async function advance({ client, db }: Deps, taskId: string, updateId: string): Promise<void> {
  try {
    await client.workflow.getHandle(taskId).executeUpdate(advanceUpdate, { updateId })
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    const startWorkflowOperation = new WithStartWorkflowOperation<typeof taskWorkflow>('task', {
      ...startOptions(taskId, await knownTask({ db }, taskId)),
      workflowIdConflictPolicy: 'USE_EXISTING',
    })
    await client.workflow.executeUpdateWithStart(advanceUpdate, {
      updateId,
      startWorkflowOperation,
    })
  }
}

/** Tries the gateway's `advance` once; if that fails, the sweep does it later. */
export const notifyTask = (deps: Deps, taskId: string): Promise<void> =>
  deps.client.withDeadline(Date.now() + NOTIFY_MS, () => advance(deps, taskId, randomUUID()))

const PAGE = 100

/** Advances tasks whose money was stored by a process that did not notify them. */
export async function notifyTasksBehind({
  log,
  ...deps
}: Pick<UpdateDeps, 'client' | 'db'> & { log: Logger }): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const behind = await listBehindMoney(deps.db, { after, most: PAGE })
    for (const taskId of behind)
      await notifyTask(deps, taskId).catch((error: unknown) =>
        log.warn({ taskId, error: String(error) }, 'the task is notified by the next sweep'),
      )
    after = behind[PAGE - 1]
  }
}

/** Tries the gateway's `wake` once. */
export const wakeTask = async (deps: Deps, taskId: string) =>
  signalTask(deps.client, taskId, await knownTask(deps, taskId))

/**
 * Makes the workflow of a task read its row also while it follows a run, in a new run of the workflow if none is open. A wake alone
 * passes through to the run.
 */
export async function reloadTask(
  deps: Pick<UpdateDeps, 'client' | 'db'>,
  taskId: string,
): Promise<void> {
  await wakeTask(deps, taskId)
  await deps.client.workflow.getHandle(taskId).signal(showSignal)
}

const signalTask = (client: Client, taskId: string, known: Known) =>
  client.workflow.signalWithStart<typeof taskWorkflow>('task', {
    ...startOptions(taskId, known),
    signal: wakeSignal,
    signalArgs: [],
  })

async function knownTask({ db }: Pick<UpdateDeps, 'db'>, taskId: string): Promise<Known> {
  const task = await findTask(db, taskId)
  if (task === undefined)
    throw refuse('not_found', { detail: 'no such task', next_action: 'Check the task token.' })
  return {
    rail: task.rail as Known['rail'],
    tier: task.tier,
    usage: task.usage,
    agent_id: task.agent_id,
  }
}

function startOptions(taskId: string, known: Known) {
  const task = {
    ...known,
    agentId: known.agent_id,
    state: 'created',
    exception: null,
    isReviewed: true,
    review: null,
  } as const
  const attributes = taskAttributes(task).filter(
    (pair): pair is SearchAttributePair => pair.value !== null,
  )
  return {
    workflowId: taskId,
    taskQueue: TASKS_QUEUE,
    args: [taskId] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: taskSummary(known),
    typedSearchAttributes: new TypedSearchAttributes([
      ...attributes,
      { key: searchAttributes.Summary, value: taskSummary(known) },
    ]),
  }
}
