import { type SearchAttributePair, WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import * as wf from '@temporalio/workflow'
import { callbackWorkflowId } from '../callbacks/messages.ts'
import type { callback as callbackWorkflow } from '../callbacks/workflow.ts'
import type { run as runWorkflow } from '../runs/workflow.ts'
import { searchAttributes } from '../shared/search-attributes.ts'
import { wakeSignal } from '../shared/signals.ts'
import type { TaskSnapshot } from './activities.ts'
import { taskAttributes, taskSummary } from './details.ts'

/** How a child workflow ended. `closing`: another one with the same id is still open. */
export type WorkEnd = 'over' | 'closing' | 'failed'

/** The work of a child workflow: the run of a task, or the delivery of its callback. */
export type Work = { kind: 'run' | 'callback'; id: string }

/** The work that belongs to the state of a task. */
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

const childOptions = (task: TaskSnapshot, staticSummary: string) => ({
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
      ...childOptions(task, `Run of ${taskSummary(task)}`),
      workflowId: id,
      args: [id],
    }),
  // A delivery continues independently of its task.
  callback: (task, id) =>
    wf.startChild<typeof callbackWorkflow>('callback', {
      ...childOptions(task, `Callback of ${taskSummary(task)}`),
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

    /** Runs the work to its end, or releases it as soon as `shouldContinue` is false. */
    async follow(task: TaskSnapshot, work: Work, shouldContinue: () => boolean): Promise<WorkEnd> {
      const scope = new wf.CancellationScope()
      let end: WorkEnd | undefined
      const ended = scope
        .run(() => start(task, work))
        .then(
          () => {
            end = 'over'
          },
          (error: unknown) => {
            end = endOf(error)
          },
        )
      await wf.condition(() => end !== undefined || !shouldContinue())
      if (end === undefined) scope.cancel()
      await ended
      child = undefined
      return end ?? 'over'
    },
  }
}

function endOf(error: unknown): WorkEnd {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return 'closing'
  return wf.isCancellation(error) ? 'over' : 'failed'
}

/** Notifies tasks that wait for a run slot. A missed signal is harmless: they also check at intervals. */
export async function wakeTasks(taskIds: readonly string[]): Promise<void> {
  for (const taskId of taskIds)
    await wf
      .getExternalWorkflowHandle(taskId)
      .signal(wakeSignal)
      .catch(() => undefined)
}
