import { afterAll, beforeAll, expect } from 'vitest'
import { energyops } from '#domain/rails/energyops/index.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { issueQuote } from '../../../activities/credit/quotes.ts'
import { countHeldTasks, lockSwitches } from '../../../activities/store/operators/controls.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import { recordEvidenced } from '../../support/evidenced.ts'
import { setPause, until, waiting } from '../../support/pauses.ts'
import { verifies } from '../../verifies.ts'
import { startTasks, stateLimits, trustedAgent } from './fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks()
})
afterAll(() => tasks?.stop())

const pauses = [
  ['rail', 'packetops'],
  ['agent', trustedAgent],
] as const
const paused = expect.objectContaining({ code: 'paused' })
const refusal = (made: Promise<unknown>) =>
  made.then(
    () => undefined,
    (error: { refusal?: object }) => error.refusal,
  )
const quote = (rail: typeof packetops | typeof energyops, owner: string) =>
  refusal(
    transaction(tasks.db, (tx) =>
      issueQuote(tasks.deps, tx, { by: { owner }, rail, tier: 'standard' }),
    ),
  )
const begin = async (terms: Parameters<typeof tasks.draft>[0] = {}) => {
  const { taskId, submit } = await tasks.draft(terms)
  return refusal(tasks.record(taskId, submit))
}
const others = { agent_id: null, callback_url: null, rail: 'energyops' } as const

verifies('switches.work', 'a paused rail or agent gets no quote and begins no run', async () => {
  for (const [scope, target] of pauses) {
    await setPause(tasks.db, scope, target, true)
    expect(await quote(packetops, trustedAgent), scope).toEqual(paused)
    expect(await begin(), scope).toEqual(paused)
    expect(await quote(energyops, 'task-1'), scope).toBeUndefined()
    expect(await begin(others), scope).toBeUndefined()
    await setPause(tasks.db, scope, target, false)
    expect(await quote(packetops, trustedAgent), scope).toBeUndefined()
    expect(await begin(), scope).toBeUndefined()
  }
})

verifies('switches.work', 'a queued run waits for the end of the pause', async () => {
  for (const [scope, target] of pauses) {
    const mine = await tasks.taskIn('queued')
    const another = await tasks.taskIn('queued', others)
    const advance = ({ task_id: taskId }: typeof mine) =>
      tasks.steps.advanceTask({ taskId, leftSlot: false })
    await setPause(tasks.db, scope, target, true)
    expect(await countHeldTasks(tasks.db, scope, target)).toBeGreaterThan(0)
    expect(await advance(mine)).toMatchObject({ state: 'queued' })
    expect(await advance(another)).toMatchObject({ state: 'operating' })
    await setPause(tasks.db, scope, target, false)
    expect(await advance(mine)).toMatchObject({ state: 'operating' })
  }
})

verifies('switches.ordered', 'a run begins before a pause of its rail, or sees it', async () => {
  const order: string[] = []
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const run = async (name: string, hold?: Promise<void>) => {
    const { taskId, submit } = await tasks.draft()
    const [event, data] = submit
    const input = { taskId, eventId: name, event, actor: 'agent:x', data, limits: stateLimits }
    const outcome = await refusal(
      transaction(tasks.db, async (tx) => {
        await recordEvidenced(tasks.deps, tx, input)
        if (hold !== undefined) order.push(`${name} looked`)
        await hold
      }),
    )
    order.push(`${name} ${outcome === undefined ? 'began' : 'refused'}`)
    return taskId
  }
  const first = run('first', held)
  await until(() => order.length > 0)
  const pausing = transaction(tasks.db, async (tx) => {
    await lockSwitches(tx)
    await setPause(tx, 'rail', 'packetops', true)
  })
  let second: Promise<string> | undefined
  try {
    await until(async () => (await waiting(tasks.db)) === 1)
    second = run('second')
    await until(async () => (await waiting(tasks.db)) === 2)
  } finally {
    release()
    await Promise.all([first, pausing, second])
  }
  expect([...order].sort()).toEqual(['first began', 'first looked', 'second refused'])
  expect((await requireTask(tasks.db, await first)).state).toBe('created')
  await setPause(tasks.db, 'rail', 'packetops', false)
})
