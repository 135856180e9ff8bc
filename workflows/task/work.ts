import type { SearchAttributePair } from '@temporalio/common'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import * as wf from '@temporalio/workflow'
import { callbackWorkflowId } from '../callback/messages.ts'
import type { callback as callbackWorkflow } from '../callback/workflow.ts'
import type { run as runWorkflow } from '../run/workflow.ts'
import { searchAttributes } from '../shared/search-attributes.ts'
import { wakeSignal } from '../shared/signals.ts'
import type { TaskSnapshot } from './activities.ts'
import { taskAttributes } from './attributes.ts'
import { taskSummary } from './details.ts'

/** How a child workflow ended: `closing`: another of the same id is there. */
export type WorkEnd = { how: 'over' | 'closing' } | { how: 'failed'; detail: string }

/** What a task has a child workflow for: its run, and the delivery of its callback. */
export type Work = { kind: 'run' | 'callback'; id: string }

/** The work that goes on in a task's state. */
export function workOf(task: TaskSnapshot | null): Work | undefined {
  if ((task?.state === 'operating' || task?.state === 'result_ready') && task.runId !== null)
    return { kind: 'run', id: task.runId }
  if (task?.state === 'callback_pending' && task.deliveryId !== null)
    return { kind: 'callback', id: task.deliveryId }
  return undefined
}

type Child =
  | wf.ChildWorkflowHandle<typeof runWorkflow>
  | wf.ChildWorkflowHandle<typeof callbackWorkflow>

const standing = (task: TaskSnapshot, staticSummary: string) => ({
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
  staticSummary,
  typedSearchAttributes: [
    ...taskAttributes(task).filter((pair): pair is SearchAttributePair => pair.value !== null),
    { key: searchAttributes.Summary, value: staticSummary },
  ],
})
const starts: Record<Work['kind'], (task: TaskSnapshot, id: string) => Promise<Child>> = {
  run: (task, id) =>
    wf.startChild<typeof runWorkflow>('run', {
      ...standing(task, `Run of ${taskSummary(task)}`),
      workflowId: id,
      args: [id],
    }),
  // A delivery goes on whatever becomes of its task meanwhile.
  callback: (task, id) =>
    wf.startChild<typeof callbackWorkflow>('callback', {
      ...standing(task, `Callback of ${taskSummary(task)}`),
      workflowId: callbackWorkflowId(id),
      args: [id],
      cancellationType: 'ABANDON',
      parentClosePolicy: 'ABANDON',
    }),
}

/** The child workflow of a task's work, one at a time. */
export function openWork() {
  let child: Child | undefined

  const start = async (task: TaskSnapshot, { kind, id }: Work): Promise<void> => {
    child = await starts[kind](task, id)
    await child.result()
  }

  return {
    wake: (): void => void child?.signal(wakeSignal).catch(() => undefined),

    /** Has the work go on until there is nothing more to do; lets go of it once it is not to `goOn` any more. */
    async follow(task: TaskSnapshot, work: Work, advanceTask: () => boolean): Promise<WorkEnd> {
      const scope = new wf.CancellationScope()
      let end: WorkEnd | undefined
      const ended = scope
        .run(() => start(task, work))
        .then(
          () => {
            end = { how: 'over' }
          },
          (error: unknown) => {
            end = endOf(error)
          },
        )
      await wf.condition(() => end !== undefined || !advanceTask())
      if (end === undefined) scope.cancel()
      await ended
      child = undefined
      return end ?? { how: 'over' }
    },
  }
}

function endOf(error: unknown): WorkEnd {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return { how: 'closing' }
  if (wf.isCancellation(error)) return { how: 'over' }
  const reason =
    error instanceof wf.TemporalFailure ? (error.cause?.message ?? error.message) : String(error)
  return { how: 'failed', detail: `the workflow ended: ${reason}`.slice(0, 500) }
}

/** Tells tasks that wait for a run slot that there may be one; they look for themselves, now and then also untold. */
export async function wakeTasks(taskIds: readonly string[]): Promise<void> {
  for (const taskId of taskIds)
    await wf
      .getExternalWorkflowHandle(taskId)
      .signal(wakeSignal)
      .catch(() => undefined)
}
