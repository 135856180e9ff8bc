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

/** Speaks to task workflows; an event is idempotent by its id, waits for what was recorded, and throws only DomainError. */
export function createTaskGateway(deps: UpdateDeps) {
  const { client, db } = deps
  return {
    /** Submits a task whose terms are stored; the workflow starts with it. */
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
        startWith(client, taskId, { update: eventUpdate, arg: input }, terms, updateId),
      )
    },

    /** Moves a task by one event; starts its workflow where none is open. Throws 404 without the task, 409 `wrong_state`. */
    async send(taskId: string, input: EventInput): Promise<TaskSnapshot> {
      return step(deps, taskId, (updateId) =>
        updateTask(deps, taskId, { update: eventUpdate, arg: input }, updateId),
      )
    },

    /** Has the task make the moves that follow from what is stored of it, such as its money, and waits for them. */
    async advance(taskId: string): Promise<TaskSnapshot> {
      return step(deps, taskId, (updateId) => updateTask(deps, taskId, advancing, updateId))
    },

    /** Makes the task's workflow read its row and go on, in a new run where none is open. */
    async wake(taskId: string): Promise<void> {
      const known = await knownTask(deps, taskId)
      await durableStep(deps, taskId, () => signalTask(client, taskId, known))
    },
  }
}

async function step(
  deps: UpdateDeps,
  taskId: string,
  send: Parameters<typeof durableStep<Awaited<ReturnType<typeof startWith>>>>[2],
): Promise<TaskSnapshot> {
  const result = await durableStep(deps, taskId, send, { places: limits.updatesInFlightMax })
  if (!result.ok) throw new DomainError(result.refusal)
  return result.snapshot
}

type Ask<Arg> = { update: UpdateDefinition<EventResult, [Arg]>; arg: Arg }
const advancing: Ask<string> = { update: advanceUpdate, arg: 'something about it was stored' }

/** Sends an update to the workflow of a task that is stored; starts it where none is open. */
async function updateTask<Arg>(
  deps: Pick<UpdateDeps, 'client' | 'db'>,
  taskId: string,
  { update, arg }: Ask<Arg>,
  updateId: string,
): Promise<EventResult> {
  const { client } = deps
  try {
    return await client.workflow.getHandle(taskId).executeUpdate(update, { args: [arg], updateId })
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return startWith(client, taskId, { update, arg }, await knownTask(deps, taskId), updateId)
  }
}

/** One try of what the gateway's `advance` does, for who leaves it to the sweep otherwise. */
export const notifyTask = (
  deps: Pick<UpdateDeps, 'client' | 'db'>,
  taskId: string,
): Promise<EventResult> =>
  deps.client.withDeadline(Date.now() + NOTIFY_MS, () =>
    updateTask(deps, taskId, advancing, randomUUID()),
  )

/** One try of what the gateway's `wake` does. */
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
  taskId: string,
  { update, arg }: Ask<Arg>,
  known: Known,
  updateId: string,
) {
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
