import type { SearchAttributePair } from '@temporalio/common'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import * as wf from '@temporalio/workflow'
import type { run as runWorkflow } from '../run/workflow.ts'
import { taskAttributes } from '../search-attributes.ts'
import { taskSummary } from './details.ts'
import { wakeSignal } from './messages.ts'
import type { TaskSnapshot } from './ports.ts'

/** How the workflow of a run ended: `closing`: an earlier one of the same id has not quite. */
export type WorkEnd = { how: 'over' | 'closing' } | { how: 'failed'; detail: string }

/** The states in which a task's run goes on. */
export const isAtWork = (task: TaskSnapshot | null): boolean =>
  task?.state === 'operating' || task?.state === 'result_ready'

/** The child workflow of a task's run, one at a time. */
export function openWork() {
  let child: wf.ChildWorkflowHandle<typeof runWorkflow> | undefined

  const start = async (task: TaskSnapshot, runId: string): Promise<void> => {
    const attributes = taskAttributes(task).filter((pair): pair is SearchAttributePair => pair.value !== null)
    child = await wf.startChild<typeof runWorkflow>('run', {
      workflowId: runId,
      args: [runId],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      typedSearchAttributes: attributes,
      staticSummary: `Run of ${taskSummary(task)}`,
    })
    await child.result()
  }

  return {
    wake: (): void => void child?.signal(wakeSignal).catch(() => undefined),

    /** Has the run go on until it has nothing more to do; cancels it once the task is not `atWork` any more. */
    async follow(task: TaskSnapshot, runId: string, atWork: () => boolean): Promise<WorkEnd> {
      const scope = new wf.CancellationScope()
      let end: WorkEnd | undefined
      const ended = scope
        .run(() => start(task, runId))
        .then(
          () => {
            end = { how: 'over' }
          },
          (error: unknown) => {
            end = endOf(error)
          },
        )
      await wf.condition(() => end !== undefined || !atWork())
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
  const reason = error instanceof wf.TemporalFailure ? (error.cause?.message ?? error.message) : String(error)
  return { how: 'failed', detail: `the workflow of the run ended: ${reason}`.slice(0, 500) }
}

/** Tells tasks that wait for a run slot that there may be one; they look for themselves, now and then also untold. */
export async function wakeTasks(taskIds: readonly string[]): Promise<void> {
  for (const taskId of taskIds)
    await wf
      .getExternalWorkflowHandle(taskId)
      .signal(wakeSignal)
      .catch(() => undefined)
}
