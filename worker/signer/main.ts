import { pino } from 'pino'
import { orExit } from '../../activities/config/or-exit.ts'
import { loadSignerConfig } from '../../activities/config/signer-config.ts'
import { runSigner } from './run.ts'

const config = await orExit(loadSignerConfig)
await runSigner(config, pino({ level: config.LOG_LEVEL, name: 'signer' }))
