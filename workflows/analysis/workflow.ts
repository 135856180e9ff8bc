import * as wf from '@temporalio/workflow'
import type { ModelSteps } from '../runs/activities.ts'
import { retryOf } from '../shared/local-activities.ts'
import { timing } from '../shared/timing.ts'

/** Calls of the model go where the internet is reached. */
const model = wf.proxyActivities<ModelSteps>({
  taskQueue: 'callbacks',
  startToCloseTimeout: timing.model.startToClose,
  scheduleToCloseTimeout: timing.model.scheduleToClose,
  retry: retryOf(timing.model),
  summary: 'ask the model',
})

/** Asks the model the stored prompts of an analysis at once; their ends are stored, and stand in no history. */
export async function analysis(subject: string, prompts: readonly string[]): Promise<void> {
  await Promise.all(prompts.map((promptSha256) => model.callModel({ subject, promptSha256 })))
  wf.setCurrentDetails(`The model was asked ${prompts.length} times.`)
}
