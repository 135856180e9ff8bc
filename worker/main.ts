import { loadConfig } from '../activities/config/config.ts'
import { createWorkerLog, runWorker } from './run.ts'

const config = loadConfig()
await runWorker(config, createWorkerLog(config))
