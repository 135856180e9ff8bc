import { pino } from 'pino'
import { loadSignerConfig } from '../../activities/config/signer-config.ts'
import { runSigner } from './run.ts'

const config = loadSignerConfig()
await runSigner(config, pino({ level: config.LOG_LEVEL, name: 'signer' }))
