import { afterAll, beforeAll, expect } from 'vitest'
import { findTask, listLedger } from '../../../activities/store/tasks/tasks.ts'
import { abandonSandboxRuns, SANDBOX_STOPPED_MS } from '../../../activities/sweep/sandbox-runs.ts'
import { verifies } from '../../verifies.ts'
import { startTasks } from '../tasks/fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks()
})
afterAll(() => tasks?.stop())

verifies(
  'sandbox.unattended',
  'runs without an agent that stay stopped are abandoned, and no others',
  async () => {
    const open = { agent_id: null, callback_url: null }
    const stopped: string[] = []
    for (const state of ['evidence_partial', 'exception_open', 'replay_ready'] as const)
      stopped.push((await tasks.taskIn(state, open)).task_id)
    const others = [
      await tasks.taskIn('operating', open),
      await tasks.taskIn('exception_open'),
      await tasks.taskIn('evidence_partial', { ...open, usage: 'operational' }),
    ]
    const statesOf = (ids: string[]) =>
      Promise.all(ids.map(async (id) => (await findTask(tasks.db, id))?.state))
    const before = await statesOf(stopped)
    const woken: string[] = []
    const wake = async (taskId: string) => woken.push(taskId)

    await abandonSandboxRuns(tasks.deps, SANDBOX_STOPPED_MS, wake)
    expect(woken).toEqual([])
    const unreachable = () => Promise.reject(new Error('no Temporal'))
    await expect(abandonSandboxRuns(tasks.deps, 0, unreachable)).rejects.toThrow('no Temporal')
    expect(await statesOf(stopped)).toEqual(before)

    await abandonSandboxRuns(tasks.deps, 0, wake)
    expect(await statesOf(stopped)).toEqual(['closed', 'closed', 'closed'])
    expect(woken).toEqual(stopped.flatMap((id) => [id, id]))
    const ledger = await listLedger(tasks.db, String(stopped[0]))
    expect(ledger.slice(-3).map(({ event }) => event)).toEqual([
      'exception_raised',
      'abandoned',
      'closed',
    ])
    for (const task of others) expect(await findTask(tasks.db, task.task_id)).toEqual(task)
    await abandonSandboxRuns(tasks.deps, 0, wake)
    expect(woken).toHaveLength(6)
  },
)
