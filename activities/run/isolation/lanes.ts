import type { Config } from '../../config/config.ts'
import { cageLane, type Lane } from './cage-client.ts'
import {
  openPerformer,
  openRailPool,
  type PoolSettings,
  poolSettings,
  type RailPool,
  railPoolOver,
} from './rail-pool.ts'

/**
 * Who waits for whom: the work of trusted agents and what is paid for, the uploads and runs of everyone else, and work that a call waits
 * for. Each lane has processes of its own, so that none takes those of another.
 */
export type Lanes = Readonly<Record<Lane, RailPool>>
/** The lanes of runs. */
export type RunLanes = Pick<Lanes, 'trusted' | 'strangers'>
type LaneConfig = Pick<Config, 'RUN_PROCESSES' | 'RUN_CPU_MS' | 'RUN_MEMORY_MB'>

const MB = 1024 * 1024
/** The lowest priority there is: strangers have the processor while no one else wants it. */
const NICE_OF_STRANGERS = 19

/** The limits of each lane. Strangers and calls have less than what is paid for. */
function laneSettings(config: LaneConfig): Record<Lane, PoolSettings> {
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

/** The lane of a run: what is real is paid for. */
export const laneOf = (lanes: RunLanes, { usage }: { usage: string }): RailPool =>
  usage === 'operational' ? lanes.trusted : lanes.strangers

/** One thing for each lane. */
const forEachLane = <Of>(make: (lane: Lane) => Of): Record<Lane, Of> => ({
  trusted: make('trusted'),
  strangers: make('strangers'),
  public: make('public'),
})

/** The lanes of the cage that the configuration names, or of child processes of this process. */
export function openLanes(config: LaneConfig & Pick<Config, 'CAGE_SOCKET'>): Lanes {
  const { CAGE_SOCKET: path } = config
  const settings = laneSettings(config)
  return forEachLane((lane) =>
    path === ''
      ? openRailPool(settings[lane])
      : railPoolOver(cageLane(path, lane), async () => undefined),
  )
}

/** What performs the jobs of each lane, in child processes of this process. */
export function openPerformers(config: LaneConfig) {
  const settings = laneSettings(config)
  return forEachLane((lane) => openPerformer(settings[lane]))
}

export async function closeLanes(
  opened: Readonly<Record<Lane, { close(): Promise<void> }>>,
): Promise<void> {
  await Promise.all(Object.values(opened).map(({ close }) => close()))
}
