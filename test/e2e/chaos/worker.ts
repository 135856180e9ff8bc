// A worker process of the fault harness: the real worker, with faults at the boundaries of its activities and a clock that may be wrong.
import './clock.ts'
import { Worker } from '@temporalio/worker'
import { loadConfig } from '../../../activities/config/config.ts'
import { createWorkerLog, runWorker } from '../../../worker/run.ts'
import { activityFaults, notifyDirector } from './activity-faults.ts'

const { CHAOS_DIRECTOR: director = '', CHAOS_BUNDLE: codePath = '' } = process.env
// Reports what is registered, so that the harness hits every activity.
const create = Worker.create.bind(Worker)
Worker.create = async (options) => {
  await notifyDirector(director, 'registers', Object.keys(options.activities ?? {}))
  return create(options)
}

const config = loadConfig()
await runWorker(config, createWorkerLog(config), {
  workflowBundle: { codePath },
  interceptors: { activity: [activityFaults(director)] },
})
