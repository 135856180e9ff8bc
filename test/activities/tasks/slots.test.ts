import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import {
  findTask,
  requireTask,
  storeDocument,
  type TaskRow,
} from '../../../activities/store/tasks/tasks.ts'
import { listStartable, slotFree } from '../../../activities/tasks/slots.ts'
import { verifies } from '../../verifies.ts'
import { startTasks } from './fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks({ runsAtOnce: { agent: 2, rail: 3 } })
})
afterAll(() => tasks?.stop())

const open: Partial<TaskTerms> = { agent_id: null, callback_url: null }
const refusalOf = (made: Promise<unknown>) =>
  made.then(
    () => undefined,
    (error: unknown) => (error instanceof DomainError ? error.refusal : error),
  )
const several = (count: number, state: TaskState, terms: Partial<TaskTerms>) =>
  Promise.all(Array.from({ length: count }, () => tasks.taskIn(state, terms)))
const isFree = ({ task_id }: TaskRow) =>
  transaction(tasks.db, async (tx) => slotFree(tasks.deps, tx, await requireTask(tx, task_id)))
/** Ends the work of a run. */
const finish = ({ task_id }: TaskRow) => tasks.record(task_id, ['evidence_missing', { gaps: 1 }])

verifies(
  'sandbox.slots',
  'runs without an agent come back only into free slots of their own',
  async () => {
    const agents = await tasks.taskIn('queued')
    const another = await tasks.taskIn('queued', open)
    const atWork = await several(2, 'operating', open)
    expect(await isFree(another)).toBe(false)
    const waiting = await tasks.taskIn('evidence_partial', open)
    const prepared = await tasks.taskIn('replay_ready', open)
    const input_sha256 = await storeDocument(tasks.db, waiting.task_id, packetops.sandboxInput)
    const supply = () => tasks.record(waiting.task_id, ['evidence_supplied', { input_sha256 }])
    const replay = () => tasks.record(prepared.task_id, ['replayed', {}])
    for (const [task, recover] of [
      [waiting, supply],
      [prepared, replay],
    ] as const) {
      expect(await refusalOf(recover())).toMatchObject({
        code: 'rate_limited',
        retry_after_ms: 5000,
      })
      expect(await findTask(tasks.db, task.task_id)).toEqual(task)
    }
    for (const task of atWork) await finish(task)
    expect(await supply()).toMatchObject({ state: 'operating' })
    expect(await replay()).toMatchObject({ state: 'operating' })
    // A recovery of an agent's run takes no notice of slots.
    await several(2, 'operating', {})
    expect(await isFree(agents)).toBe(false)
    const stopped = await tasks.taskIn('replay_ready')
    expect(await tasks.record(stopped.task_id, ['replayed', {}])).toMatchObject({
      state: 'operating',
    })
  },
)

verifies(
  'sandbox.slots',
  'many runs without an agent leave all slots of their rail free',
  async () => {
    const rail = 'scout'
    const [left] = await several(4, 'operating', { ...open, rail })
    const waiting = await tasks.taskIn('queued', { ...open, rail })
    const paid = await tasks.taskIn('queued', { ...open, rail, usage: 'operational' })
    expect(await isFree(waiting)).toBe(false)
    expect(await isFree(paid)).toBe(true)
    const startable = (task: TaskRow) =>
      transaction(tasks.db, (tx) => listStartable(tasks.deps, tx, task))
    expect(await startable(paid)).toEqual([paid.task_id])
    expect(await startable(left!)).toEqual([])
  },
)

verifies(
  'tiers.order',
  'of waiting runs the one that should end first takes the place',
  async () => {
    const paid = { ...open, rail: 'tokenops', usage: 'operational' } as const
    const entry = await tasks.taskIn('queued', { ...paid, tier: 'entry' })
    const pro = await tasks.taskIn('queued', { ...paid, tier: 'pro' })
    const startable = () => transaction(tasks.db, (tx) => listStartable(tasks.deps, tx, pro))
    const [first, ...others] = await startable()
    expect(first).toBe(pro.task_id)
    expect(others).not.toContain(entry.task_id)
    // An entry run that waits for a day comes before a new one of a higher tier.
    await sql`update tasks set changed_at = changed_at - interval '23 hours' where task_id = ${entry.task_id}`.execute(
      tasks.db,
    )
    expect((await startable())[0]).toBe(entry.task_id)
  },
)
