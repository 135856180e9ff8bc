import { pino } from 'pino'
import { loadConfig } from '../activities/config.ts'
import { runWorker } from './run.ts'

const config = loadConfig()
await runWorker(config, pino({ level: config.LOG_LEVEL, name: 'worker' }))
