import { afterAll, beforeAll, expect } from 'vitest'
import { allowedRecoveries } from '#domain/tasks/exception.ts'
import type { RailPool } from '../../activities/runs/isolation/rail-pool.ts'
import { createRunSteps } from '../../activities/runs/run.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { listLoopSteps } from '../../activities/store/runs/runs.ts'
import { openTaskException } from '../../activities/store/tasks/task-exceptions.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../activities/tasks/facts.ts'
import { provideInput } from '../../api/services/tasks/input.ts'
import { recoverTask } from '../../api/services/tasks/recover-task.ts'
import { alikeSentences } from '../e2e/faults/bombs.ts'
import { quietRuntime } from '../support/quiet.ts'
import { poolsOver, startRailPool } from '../support/rail-pool.ts'
import { verifies } from '../verifies.ts'
import { startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
const pools: RailPool[] = []
let stopServing: (() => Promise<void>) | undefined
/** The jobs that a child was asked to do. */
let asked: string[]

beforeAll(async () => {
  fixture = await startTaskWorkflows()
})
afterAll(async () => {
  await fixture?.stop()
  for (const pool of pools) await pool.close()
})

/** Serves with a pool of these limits; the answer of each step's first activity is lost after it was stored. */
async function serveWith(limits: Parameters<typeof startRailPool>[0]): Promise<void> {
  await stopServing?.()
  const pool = startRailPool(limits)
  pools.push(pool)
  asked = []
  const counting: RailPool = {
    ...pool,
    queue: (...named) => ({
      ...pool.queue(...named),
      run: (job, ...rest) => {
        asked.push(job.kind)
        return pool.queue(...named).run(job, ...rest)
      },
    }),
  }
  const { takeStep } = createRunSteps(fixture.tasks.deps, poolsOver(counting))
  const lost = new Set<string>()
  stopServing = await fixture.serve({
    takeStep: async (input) => {
      const taken = await takeStep(input)
      if (lost.has(input.step)) return taken
      lost.add(input.step)
      throw new Error('the answer is lost')
    },
  })
}

async function begun(body: unknown): Promise<string> {
  const { task_id } = await fixture.tasks.taskIn('credit_funded', {
    rail: 'diligenceops',
    tier: 'pro',
    callback_url: null,
  })
  await transaction(fixture.db, (tx) => provideInput(tx, task_id, body))
  await fixture.gateway.wake(task_id)
  return task_id
}
const reaches = (taskId: string, state: string) =>
  expect.poll(async () => (await findTask(fixture.db, taskId))?.state).toBe(state)
const attemptsOf = (taskId: string) =>
  fixture.db
    .selectFrom('step_attempts')
    .select(['step', 'begun'])
    .where('run_id', '=', runIdOf(taskId))
    .execute()

verifies(
  ['isolation.verdict', 'isolation.attempts'],
  'a limit verdict is stored, final, and not repeated with the activity',
  async () => {
    await serveWith({ cpuMs: 300 })
    const taskId = await begun(alikeSentences(3_200, { word: 'bdgmnst', amount: 7 }).value)
    await reaches(taskId, 'exception_open')
    expect(asked).toEqual(['work'])
    expect(await attemptsOf(taskId)).toEqual([{ step: 'worker', begun: 1 }])
    const steps = await listLoopSteps(fixture.db, runIdOf(taskId))
    expect(steps.at(-1)).toMatchObject({ step: 'worker', verdict: 'too_complex' })
    const exception = await openTaskException(fixture.db, taskId)
    expect(exception).toMatchObject({
      code: 'input_too_complex',
      detail: expect.stringContaining('processor time'),
    })
    expect(allowedRecoveries('input_too_complex')).toEqual(['correct_input', 'abandon'])
    const who = {
      actor: 'operator:1',
      decided: true,
      note: '',
      recoveryId: 'rec_abandoned',
      input: undefined,
    }
    const ask = { ...who, taskId, exceptionId: exception?.exception_id, action: 'abandon' as const }
    await transaction(fixture.db, (tx) => recoverTask(fixture.tasks.deps, tx, ask))
    await fixture.gateway.wake(taskId)
    await reaches(taskId, 'closed')
  },
)

verifies(
  'isolation.attempts',
  'children that die at their start cost no attempt of the task',
  async () => {
    await serveWith({ memoryBytes: 4 * 1024 * 1024 })
    const taskId = await begun(alikeSentences(2, { word: 'bdgmnst', amount: 7 }, 1).value)
    await reaches(taskId, 'exception_open')
    expect(await openTaskException(fixture.db, taskId)).toMatchObject({
      code: 'worker_failed',
      detail: 'worker: the child process ended before it began the work',
    })
    expect(await attemptsOf(taskId)).toEqual([{ step: 'worker', begun: 0 }])
    expect(asked.length).toBeGreaterThan(1)
  },
)
