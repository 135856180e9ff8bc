import { setPriority } from 'node:os'
import { pino } from 'pino'
import { loadCageConfig } from '../../activities/config/cage-config.ts'
import { serveCage } from '../../activities/run/isolation/cage-server.ts'
import { closeLanes, openPerformers } from '../../activities/run/isolation/lanes.ts'
import { NICE } from '../../activities/run/isolation/rail-pool.ts'

const config = loadCageConfig()
const log = pino({ level: config.LOG_LEVEL, name: 'cage' })
setPriority(NICE)
const lanes = openPerformers(config)
const { close } = await serveCage(config.CAGE_SOCKET, lanes)
log.info({ socket: config.CAGE_SOCKET }, 'the cage reads the bytes of callers')
await new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
})
await close()
await closeLanes(lanes)
