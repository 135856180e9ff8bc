import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import type { TrustLimits } from '#domain/agents/trust-limits.ts'
import { moveTrust } from '../../activities/store/agents/agents.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { runIdOf } from '../../activities/tasks/facts.ts'
import { registeredAgent } from '../support/agent-rows.ts'
import { quietRuntime } from '../support/quiet.ts'
import { verifies } from '../verifies.ts'
import { checkTasks, readTaskFacts } from './task-checker.ts'
import { patiently, startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
const AT_ONCE = 4
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
beforeAll(async () => {
  fixture = await startTaskWorkflows({ runsAtOnce: { agent: AT_ONCE, rail: 64 } })
  await fixture.serve()
})
afterAll(() => fixture?.stop())

/** A trusted agent with so many tasks that wait for a slot; no sweep has read them yet. */
async function agentWith(
  count: number,
  limits?: TrustLimits,
): Promise<{ agentId: string; tasks: string[] }> {
  const agentId = `agt_${randomBytes(32).toString('hex')}`
  await registeredAgent(fixture.db, { agentId })
  await transaction(fixture.db, (tx) =>
    moveTrust(tx, agentId, ['under_review', 'trusted'], { decisionId: 'rd_1', limits }),
  )
  const tasks: string[] = []
  for (let left = count; left > 0; left -= 1)
    tasks.push(
      (
        await fixture.tasks.taskIn(
          'queued',
          { agent_id: agentId, callback_url: null },
          { paid: true },
        )
      ).task_id,
    )
  return { agentId, tasks }
}
const wake = (tasks: readonly string[]) =>
  Promise.all(tasks.map((taskId) => patiently(() => fixture.gateway.wake(taskId))))

/** Resolves when all of them have their result. */
async function over(tasks: readonly string[]): Promise<void> {
  const attested = () =>
    fixture.db
      .selectFrom('task_events')
      .select('task_id')
      .where('task_id', 'in', [...tasks])
      .where('event', '=', 'result_attested')
      .execute()
  await expect.poll(async () => (await attested()).length, { interval: 20 }).toBe(tasks.length)
}

/** The most runs of these tasks in progress at one time, by the times of their ledgers. */
async function mostAtOnce(tasks: readonly string[]): Promise<number> {
  const rows = await fixture.db
    .selectFrom('task_events')
    .select(['event', 'at'])
    .where('task_id', 'in', [...tasks])
    .where('event', 'in', ['started', 'result_produced'])
    .execute()
  // A slot that is left and taken within one millisecond is left first.
  const ends = ({ event }: { event: string }) => (event === 'started' ? 1 : 0)
  rows.sort((a, b) => a.at.getTime() - b.at.getTime() || ends(a) - ends(b))
  let [now, most] = [0, 0]
  for (const row of rows) {
    now += row.event === 'started' ? 1 : -1
    most = Math.max(most, now)
  }
  return most
}

verifies(
  ['task.fair', 'task.slots'],
  'an agent has four runs at once and yields steps to other agents',
  async () => {
    const crowd = await agentWith(20)
    const single = await agentWith(1)
    await wake(crowd.tasks)
    const since = new Date()
    await wake(single.tasks)
    await over(single.tasks)
    const until = new Date()
    const { taken } = await fixture.db
      .selectFrom('loop_steps')
      .select(({ fn }) => fn.countAll<string>().as('taken'))
      .where('run_id', 'in', crowd.tasks.map(runIdOf))
      .where('finished_at', '>', since)
      .where('finished_at', '<', until)
      .executeTakeFirstOrThrow()
    expect(Number(taken)).toBeLessThanOrEqual(2 * 9 * AT_ONCE)
    await over(crowd.tasks)
    expect(await mostAtOnce(crowd.tasks)).toBe(AT_ONCE)
    expect(
      checkTasks(await readTaskFacts(fixture.tasks.url, fixture.address), [
        ...crowd.tasks,
        ...single.tasks,
      ]),
    ).toEqual([])
  },
)

verifies(
  'task.slots',
  'an operator’s run limit for an agent replaces the configured one',
  async () => {
    const [few, many] = [
      await agentWith(5, { concurrent_runs: 1 }),
      await agentWith(8, { concurrent_runs: 6 }),
    ]
    await wake([...few.tasks, ...many.tasks])
    await over([...few.tasks, ...many.tasks])
    expect(await mostAtOnce(few.tasks)).toBe(1)
    const most = await mostAtOnce(many.tasks)
    expect(most).toBeGreaterThan(AT_ONCE)
    expect(most).toBeLessThanOrEqual(6)
  },
)

verifies(
  'task.fair',
  'each step of a run is dispatched under the fairness key of its agent',
  async () => {
    const { agentId, tasks } = await agentWith(1)
    await wake(tasks)
    await over(tasks)
    const { events } = await fixture.client.workflow
      .getHandle(runIdOf(String(tasks[0])))
      .fetchHistory()
    const keys = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled == null ? [] : [scheduled.priority?.fairnessKey],
    )
    expect(keys).toEqual(Array(9).fill(agentId.slice(0, 64)))
  },
)
