import * as wf from '@temporalio/workflow'
import { type BaselineShape, FLOOR_SIGNING_QUEUE, type NoStep } from './messages.ts'

const short = wf.proxyLocalActivities<NoStep>({ startToCloseTimeout: '10s' })
const long = wf.proxyActivities<NoStep>({
  taskQueue: FLOOR_SIGNING_QUEUE,
  startToCloseTimeout: '60s',
})

export const eventUpdate = wf.defineUpdate<void, []>('event')

/** As many updates and steps as a task and its run have, with nothing in any of them. */
export async function baselineTask({ updates, shortSteps, run }: BaselineShape): Promise<void> {
  let taken = 0
  wf.setHandler(eventUpdate, async () => {
    await short.nothing()
    taken += 1
  })
  await wf.condition(() => taken === updates)
  await wf.executeChild(baselineRun, { args: [run] })
  for (let left = shortSteps - updates; left > 0; left -= 1) await short.nothing()
}

export async function baselineRun({ shortSteps, longSteps }: BaselineShape['run']): Promise<void> {
  for (let left = shortSteps; left > 0; left -= 1) await short.nothing()
  for (let left = longSteps; left > 0; left -= 1) await long.nothing()
}
