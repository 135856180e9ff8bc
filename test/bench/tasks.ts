import { randomUUID } from 'node:crypto'
import { WithStartWorkflowOperation } from '@temporalio/client'
import { type Buyer, closed, openBuyer } from './buyers.ts'
import { cpuOf, type Spread, show, spread } from './figures.ts'
import { FLOOR_QUEUE, type FloorShape } from './floor/messages.ts'
import type { floorTask } from './floor/task.ts'
import { type Observed, observed, type Rig } from './rig.ts'
import { type Turns, turns } from './sizing.ts'
import { countEvents } from './where.ts'

export type Tasks = {
  count: number
  shape: FloorShape
  /** Tasks a second by those of bare workflows with the same updates and steps. */
  ratio_to_floor: Spread
  seconds: Record<Who, Spread>
  cpu_ms_per_task: Record<Who, Record<string, number>>
}
type Who = 'tasks' | 'floor'

/** Each has several more runs than it may have at work. */
const BUYERS = 20

/** From the first call until all are closed, in turn with the floor's. */
export async function measureTasks(rig: Rig, { count, ...asked }: Turns & { count: number }): Promise<Tasks> {
  const buyers = await Promise.all(Array.from({ length: BUYERS }, () => openBuyer(rig)))
  const shape = await shapeOf(rig, buyers[0] as Buyer)
  const work = {
    tasks: async (many: number) => {
      const runs = await together(many, (nth) => (buyers[nth % BUYERS] as Buyer)())
      await closed(
        rig,
        runs.map(({ task_id }) => task_id),
      )
    },
    floor: (many: number) => together(many, () => runFloorTask(rig, shape)),
  }
  const rounds: Record<Who, Observed[]> = { tasks: [], floor: [] }
  for (const who of ['tasks', 'floor'] as const) await work[who](2 * BUYERS)
  for (const turn of turns(asked)) {
    for (const who of ['tasks', 'floor'] as const) {
      const round = await observed(rig, async () => {
        const begun = performance.now()
        await work[who](count)
        return { seconds: (performance.now() - begun) / 1000, count, repeats: 0, times: {} }
      })
      rounds[who].push(round)
      console.error(`turn ${turn + 1}: ${count} of ${who} in ${round.run.seconds.toFixed(1)} s`)
    }
  }
  const { tasks, floor } = rounds
  const seconds = (of: readonly Observed[]) => spread(of.map(({ run }) => run.seconds))
  return {
    ...{ count, shape },
    ratio_to_floor: spread(tasks.map(({ perSecond }, turn) => perSecond / (floor[turn]?.perSecond ?? Number.NaN))),
    seconds: { tasks: seconds(tasks), floor: seconds(floor) },
    cpu_ms_per_task: { tasks: cpuOf(tasks), floor: cpuOf(floor) },
  }
}

const together = <T>(count: number, act: (nth: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, nth) => act(nth)))

/** What one task and its run did, by their histories. */
async function shapeOf(rig: Rig, start: Buyer): Promise<FloorShape> {
  const { task_id, run_id } = await start()
  await rig.temporal.workflow.getHandle(task_id).result()
  const [task, run] = [await countEvents(rig, task_id), await countEvents(rig, run_id)]
  return {
    ...{ updates: task.updates, shortSteps: task['local activities'] },
    run: { shortSteps: run['local activities'], longSteps: run.activities },
  }
}

async function runFloorTask({ temporal }: Rig, shape: FloorShape): Promise<void> {
  const workflowId = `task-${randomUUID()}`
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof floorTask>('floorTask', {
    ...{ workflowId, taskQueue: FLOOR_QUEUE, args: [shape] },
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  await temporal.workflow.executeUpdateWithStart('event', { args: [], startWorkflowOperation })
  const handle = temporal.workflow.getHandle<typeof floorTask>(workflowId)
  for (let sent = 1; sent < shape.updates; sent += 1) await handle.executeUpdate('event', { args: [] })
  await handle.result()
}

export function printTasks(tasks: Tasks): Tasks {
  const { count, shape, ratio_to_floor, seconds, cpu_ms_per_task } = tasks
  const { updates, shortSteps, run } = shape
  console.log(`\n${count} tasks at once until they are closed, against workflows with nothing in their steps.`)
  console.log(
    `Each: ${updates} updates, ${shortSteps} short steps; in a child ${run.shortSteps} short and ${run.longSteps} regular ones.`,
  )
  console.log(
    `Tasks ${show(seconds.tasks)} s, floor ${show(seconds.floor)} s; tasks ÷ floor, by rate: ${show(ratio_to_floor)}`,
  )
  console.log('Milliseconds of processor time by process for one task')
  console.table(cpu_ms_per_task)
  return tasks
}
