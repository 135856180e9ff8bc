import type { Config } from '../../config/config.ts'
import { cagePool, type PoolName } from './cage-client.ts'
import {
  openPerformer,
  openRailPool,
  type PoolSettings,
  poolSettings,
  type Queue,
  type RailPool,
  railPoolOver,
} from './rail-pool.ts'

/**
 * Who waits for whom: the work of trusted agents and what is paid for, the uploads and runs of everyone else, and work that a call waits
 * for. Each pool has processes of its own, so that none takes those of another.
 */
export type Pools = Readonly<Record<PoolName, RailPool>>
/** The pools of runs. */
export type RunPools = Pick<Pools, 'trusted' | 'strangers'>
type PoolConfig = Pick<Config, 'RUN_PROCESSES' | 'RUN_CPU_MS' | 'RUN_MEMORY_MB'>

const MB = 1024 * 1024
/** The lowest priority there is: strangers have the processor while no one else wants it. */
const NICE_OF_STRANGERS = 19

/** The limits of each pool. Strangers and calls have less than what is paid for. */
function limitsOfPools(config: PoolConfig): Record<PoolName, PoolSettings> {
  const trusted = poolSettings(config)
  const atMost = ({ cpuMs, wallMs, memoryBytes }: Omit<PoolSettings, 'processes' | 'nice'>) => ({
    processes: 2,
    nice: trusted.nice,
    cpuMs: Math.min(cpuMs, trusted.cpuMs),
    wallMs: Math.min(wallMs, trusted.wallMs),
    memoryBytes: Math.min(memoryBytes, trusted.memoryBytes),
  })
  const strangers = atMost({ cpuMs: 20_000, wallMs: 200_000, memoryBytes: 512 * MB })
  return {
    trusted,
    strangers: { ...strangers, nice: NICE_OF_STRANGERS },
    public: atMost({ cpuMs: 2_000, wallMs: 10_000, memoryBytes: 256 * MB }),
  }
}

/** The queue of a run: what is real is paid for; strangers of one network share a queue, however many agents they are. */
export const queueOf = (pools: RunPools, { task, spend }: Queued): Queue =>
  task.usage === 'operational'
    ? pools.trusted.queue(task.agent_id ?? 'no agent', spend)
    : pools.strangers.queue(task.network ?? task.agent_id ?? 'no agent', spend)
type Queued = {
  task: { usage: string; agent_id: string | null; network: string | null }
  spend: (cpuMs: number) => void
}

/** One thing for each pool. */
const forEachPool = <Of>(make: (pool: PoolName) => Of): Record<PoolName, Of> => ({
  trusted: make('trusted'),
  strangers: make('strangers'),
  public: make('public'),
})

/** The pools of the cage that the configuration names, or of child processes of this process. */
export function openPools(config: PoolConfig & Pick<Config, 'CAGE_SOCKET'>): Pools {
  const { CAGE_SOCKET: path } = config
  const settings = limitsOfPools(config)
  return forEachPool((pool) =>
    path === ''
      ? openRailPool(settings[pool])
      : railPoolOver(cagePool(path, pool), async () => undefined),
  )
}

/** What performs the jobs of each pool, in child processes of this process. */
export function openPerformers(config: PoolConfig) {
  const settings = limitsOfPools(config)
  return forEachPool((pool) => openPerformer(settings[pool]))
}

export async function closePools(
  opened: Readonly<Record<PoolName, { close(): Promise<void> }>>,
): Promise<void> {
  await Promise.all(Object.values(opened).map(({ close }) => close()))
}
