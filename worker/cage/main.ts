import { getPriority, setPriority } from 'node:os'
import { pino } from 'pino'
import { loadCageConfig } from '../../activities/config/cage-config.ts'
import { serveCage } from '../../activities/runs/isolation/cage-server.ts'
import { closePools, openPerformers } from '../../activities/runs/isolation/pools.ts'
import { NICE } from '../../activities/runs/isolation/rail-pool.ts'

const config = loadCageConfig()
const log = pino({ level: config.LOG_LEVEL, name: 'cage' })
// Only root may raise what a starter has lowered further.
if (getPriority() < NICE) setPriority(NICE)
const pools = openPerformers(config)
const { close } = await serveCage(config.CAGE_SOCKET, pools)
log.info({ socket: config.CAGE_SOCKET }, 'the cage reads the bytes of callers')
await new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
})
await close()
await closePools(pools)
