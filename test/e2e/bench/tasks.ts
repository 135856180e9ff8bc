import { randomUUID } from 'node:crypto'
import { WithStartWorkflowOperation } from '@temporalio/client'
import { type BaselineShape, FLOOR_QUEUE } from './baseline/messages.ts'
import type { baselineTask } from './baseline/task.ts'
import { type Buyer, closed, openBuyer } from './buyers.ts'
import { cpuOf, type Spread, show, spread } from './figures.ts'
import { type Fixture, type Observed, observed } from './fixture.ts'
import { type Turns, turns } from './sizing.ts'
import { countEvents } from './where.ts'

export type Tasks = {
  count: number
  shape: BaselineShape
  /** Tasks a second by those of bare workflows with the same updates and steps. */
  ratio_to_baseline: Spread
  seconds: Record<Who, Spread>
  cpu_ms_per_task: Record<Who, Record<string, number>>
}
type Who = 'tasks' | 'baseline'

/** Each has several more runs than it may have at work. */
const BUYERS = 20

/** From the first call until all are closed, in turn with the baseline's. */
export async function measureTasks(
  fixture: Fixture,
  { count, ...asked }: Turns & { count: number },
): Promise<Tasks> {
  const buyers = await Promise.all(Array.from({ length: BUYERS }, () => openBuyer(fixture)))
  const shape = await shapeOf(fixture, buyers[0] as Buyer)
  const work = {
    tasks: async (many: number) => {
      const runs = await together(many, (nth) => (buyers[nth % BUYERS] as Buyer)())
      await closed(
        fixture,
        runs.map(({ task_id }) => task_id),
      )
    },
    baseline: (many: number) => together(many, () => runBaselineTask(fixture, shape)),
  }
  const rounds: Record<Who, Observed[]> = { tasks: [], baseline: [] }
  for (const who of ['tasks', 'baseline'] as const) await work[who](2 * BUYERS)
  for (const turn of turns(asked)) {
    for (const who of ['tasks', 'baseline'] as const) {
      const round = await observed(fixture, async () => {
        const begun = performance.now()
        await work[who](count)
        return { seconds: (performance.now() - begun) / 1000, count, repeats: 0, times: {} }
      })
      rounds[who].push(round)
      console.error(`turn ${turn + 1}: ${count} of ${who} in ${round.run.seconds.toFixed(1)} s`)
    }
  }
  const { tasks, baseline } = rounds
  const seconds = (of: readonly Observed[]) => spread(of.map(({ run }) => run.seconds))
  return {
    count,
    shape,
    ratio_to_baseline: spread(
      tasks.map(({ perSecond }, turn) => perSecond / (baseline[turn]?.perSecond ?? Number.NaN)),
    ),
    seconds: { tasks: seconds(tasks), baseline: seconds(baseline) },
    cpu_ms_per_task: { tasks: cpuOf(tasks), baseline: cpuOf(baseline) },
  }
}

const together = <T>(count: number, act: (nth: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, nth) => act(nth)))

/** What one task and its run did, by their histories. */
async function shapeOf(fixture: Fixture, start: Buyer): Promise<BaselineShape> {
  const { task_id, run_id } = await start()
  await fixture.temporal.workflow.getHandle(task_id).result()
  const [task, run] = [await countEvents(fixture, task_id), await countEvents(fixture, run_id)]
  return {
    updates: task.updates,
    shortSteps: task['local activities'],
    run: { shortSteps: run['local activities'], longSteps: run.activities },
  }
}

async function runBaselineTask({ temporal }: Fixture, shape: BaselineShape): Promise<void> {
  const workflowId = `task-${randomUUID()}`
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof baselineTask>(
    'baselineTask',
    {
      workflowId,
      taskQueue: FLOOR_QUEUE,
      args: [shape],
      workflowIdConflictPolicy: 'USE_EXISTING',
    },
  )
  await temporal.workflow.executeUpdateWithStart('event', { args: [], startWorkflowOperation })
  const handle = temporal.workflow.getHandle<typeof baselineTask>(workflowId)
  for (let sent = 1; sent < shape.updates; sent += 1)
    await handle.executeUpdate('event', { args: [] })
  await handle.result()
}

export function printTasks(tasks: Tasks): Tasks {
  const { count, shape, ratio_to_baseline, seconds, cpu_ms_per_task } = tasks
  const { updates, shortSteps, run } = shape
  console.log(
    `\n${count} tasks at once until they are closed, against workflows with nothing in their steps.`,
  )
  console.log(
    `Each: ${updates} updates, ${shortSteps} short steps; in a child ${run.shortSteps} short and ${run.longSteps} regular ones.`,
  )
  console.log(
    `Tasks ${show(seconds.tasks)} s, baseline ${show(seconds.baseline)} s; tasks ÷ baseline, by rate: ${show(ratio_to_baseline)}`,
  )
  console.log('Milliseconds of processor time by process for one task')
  console.table(cpu_ms_per_task)
  return tasks
}
