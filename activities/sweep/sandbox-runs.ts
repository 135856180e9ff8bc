import { transaction } from '../store/postgres/db.ts'
import { listStoppedSandboxRuns, stoppedStates } from '../store/tasks/public-sandbox.ts'
import { requireTask } from '../store/tasks/tasks.ts'
import { eventRecorder, makeAutomaticTransitions } from '../tasks/automatic-transitions.ts'
import type { TaskDeps } from '../tasks/deps.ts'

const PAGE = 100

/** How long a sandbox run without an agent may stay stopped, in milliseconds. */
export const SANDBOX_STOPPED_MS = 24 * 3600 * 1000

/** Abandons sandbox runs without an agent that no one recovered in time. Nothing is stored while their workflows cannot be woken. */
export async function abandonSandboxRuns(
  tasks: TaskDeps,
  keepMs: number,
  wakeTask: (taskId: string) => Promise<unknown>,
): Promise<void> {
  for (const taskId of await listStoppedSandboxRuns(tasks.db, keepMs, PAGE)) {
    await wakeTask(taskId)
    await abandonStopped(tasks, taskId)
    await wakeTask(taskId)
  }
}

const abandonStopped = (tasks: TaskDeps, taskId: string): Promise<void> =>
  transaction(tasks.db, async (tx) => {
    const { state } = await requireTask(tx, taskId)
    if (!stoppedStates.includes(state)) return
    const record = eventRecorder(tasks, tx, { taskId, command: 'lapsed' })
    const detail = 'the run was not recovered in time'
    if (state === 'evidence_partial')
      await record('exception_raised', 'service', { code: 'deadline_passed', detail })
    const task = await record('abandoned', 'service', {})
    await makeAutomaticTransitions(tasks, tx, { task })
  })
