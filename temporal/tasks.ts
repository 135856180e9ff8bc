import { randomUUID } from 'node:crypto'
import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client'
import {
  type SearchAttributePair,
  TypedSearchAttributes,
  type UpdateDefinition,
} from '@temporalio/common'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { type TaskTerms, taskTerms } from '#domain/tasks/terms.ts'
import { findDocument, findTask } from '../activities/store/tasks/tasks.ts'
import { searchAttributes } from '../workflows/shared/search-attributes.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import type { EventInput, EventResult, TaskSnapshot } from '../workflows/task/activities.ts'
import { taskAttributes } from '../workflows/task/attributes.ts'
import { taskSummary } from '../workflows/task/details.ts'
import { advanceUpdate, eventUpdate } from '../workflows/task/messages.ts'
import type { task as taskWorkflow } from '../workflows/task/workflow.ts'
import { TASKS_QUEUE } from './queues.ts'
import { durableStep, NOTIFY_MS, type UpdateDeps } from './updates.ts'

type Known = Pick<TaskTerms, 'rail' | 'tier' | 'usage' | 'agent_id'>

/** Sends events to task workflows and waits until they are recorded. An event is idempotent by its id; only DomainError is thrown. */
export function createTaskGateway(deps: UpdateDeps) {
  const { client, db } = deps
  return {
    /** Submits a task whose terms are stored, and starts its workflow. */
    async submit(
      taskId: string,
      termsSha256: string,
      { eventId, actor }: { eventId: string; actor: string },
    ) {
      const terms = taskTerms.parse(await findDocument(db, taskId, termsSha256))
      const input = {
        eventId,
        event: 'submit',
        actor,
        data: { terms_sha256: termsSha256 },
      } as const
      return step(deps, taskId, (updateId) =>
        startWith(client, { taskId, update: eventUpdate, arg: input, updateId }, terms),
      )
    },

    /** Records one event of a task; starts its workflow if none is open. Throws 404 without the task, 409 `wrong_state`. */
    async send(taskId: string, input: EventInput): Promise<TaskSnapshot> {
      return step(deps, taskId, (updateId) =>
        updateTask(deps, { taskId, update: eventUpdate, arg: input, updateId }),
      )
    },

    /** Makes the automatic transitions that the stored facts of the task allow, such as its money, and waits for them. */
    async advance(taskId: string): Promise<TaskSnapshot> {
      return step(deps, taskId, (updateId) => updateTask(deps, advanceOf(taskId, updateId)))
    },

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

async function step(
  deps: UpdateDeps,
  taskId: string,
  send: (updateId: string) => Promise<EventResult>,
): Promise<TaskSnapshot> {
  const result = await durableStep(deps, {
    workflowId: taskId,
    send,
    slots: limits.updatesInFlightMax,
  })
  if (!result.ok) throw new DomainError(result.refusal)
  return result.snapshot
}

type TaskUpdate<Arg> = {
  taskId: string
  update: UpdateDefinition<EventResult, [Arg]>
  arg: Arg
  updateId: string
}

const advanceOf = (taskId: string, updateId: string): TaskUpdate<string> => ({
  taskId,
  update: advanceUpdate,
  arg: 'facts of the task were stored',
  updateId,
})

/** Sends an update to the workflow of a stored task; starts the workflow if none is open. */
async function updateTask<Arg>(
  deps: Pick<UpdateDeps, 'client' | 'db'>,
  sent: TaskUpdate<Arg>,
): Promise<EventResult> {
  const { client } = deps
  const { taskId, update, arg, updateId } = sent
  try {
    return await client.workflow.getHandle(taskId).executeUpdate(update, { args: [arg], updateId })
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return startWith(client, sent, await knownTask(deps, taskId))
  }
}

/** Tries the gateway's `advance` once; if that fails, the sweep does it later. */
export const notifyTask = (
  deps: Pick<UpdateDeps, 'client' | 'db'>,
  taskId: string,
): Promise<EventResult> =>
  deps.client.withDeadline(Date.now() + NOTIFY_MS, () =>
    updateTask(deps, advanceOf(taskId, randomUUID())),
  )

/** Tries the gateway's `wake` once. */
export const wakeTask = async (deps: Pick<UpdateDeps, 'client' | 'db'>, taskId: string) =>
  signalTask(deps.client, taskId, await knownTask(deps, taskId))

const signalTask = (client: Client, taskId: string, known: Known) =>
  client.workflow.signalWithStart<typeof taskWorkflow>('task', {
    ...startOptions(taskId, known),
    signal: wakeSignal,
    signalArgs: [],
  })

function startWith<Arg>(
  client: Client,
  { taskId, update, arg, updateId }: TaskUpdate<Arg>,
  known: Known,
): Promise<EventResult> {
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof taskWorkflow>('task', {
    ...startOptions(taskId, known),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  return client.workflow.executeUpdateWithStart(update, {
    args: [arg],
    updateId,
    startWorkflowOperation,
  })
}

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
