import { afterAll, beforeAll, expect } from 'vitest'
import {
  countAttention,
  listAttention,
  summarizeAttention,
} from '../../../../activities/store/console/attention.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { readOpenWork } from '../../../../activities/store/reconciliation/open-work.ts'
import {
  countTasksInReview,
  listOpenTasks,
  listTasksInReview,
} from '../../../../activities/store/tasks/tasks.ts'
import { verifies } from '../../../verifies.ts'
import { startTasks } from '../../tasks/fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks()
})
afterAll(() => tasks?.stop())

verifies(
  'sandbox.unattended',
  'operators see stopped runs of agents and orders alone',
  async () => {
    const owners = [{ agent_id: null }, {}, { agent_id: null, usage: 'operational' as const }]
    for (const owner of owners)
      for (const state of ['evidence_partial', 'exception_open'] as const)
        await tasks.taskIn(state, { ...owner, callback_url: null })
    const kinds = ['task'] as const
    const [attention, count, summary, review, inReview, open, work] = await transaction(
      tasks.db,
      async (tx) => [
        await listAttention(tx, { kinds }, 10),
        await countAttention(tx, { kinds }),
        await summarizeAttention(tx),
        await listTasksInReview(tx, {}, 10),
        await countTasksInReview(tx, {}),
        await listOpenTasks(tx, [], 10),
        await readOpenWork(tx),
      ],
    )
    expect(attention).toHaveLength(2)
    expect(count).toEqual({ task: 2 })
    expect(summary).toMatchObject([{ code: 'operator_hold', count: 2 }])
    expect(review.map(({ state }) => state)).toEqual(['evidence_partial', 'evidence_partial'])
    expect(inReview).toBe(2)
    expect(open).toHaveLength(4)
    expect(work).toContainEqual({ measure: 'task_exceptions', label: 'operator_hold', value: 2 })
    for (const { agent_id, usage } of [...review, ...open])
      expect(agent_id === null && usage === 'synthetic').toBe(false)
  },
)
