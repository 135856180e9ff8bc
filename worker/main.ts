import { loadConfig } from '../activities/config/config.ts'
import { orExit } from '../activities/config/or-exit.ts'
import { createWorkerLog, runWorker } from './run.ts'

const config = await orExit(loadConfig)
await runWorker(config, createWorkerLog(config))
