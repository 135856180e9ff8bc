import {
  openRailPool,
  type PoolSettings,
  type RailPool,
} from '../../activities/runs/isolation/rail-pool.ts'

const MB = 1024 * 1024

/** A pool of child processes from `dist/`; limits far above what a test needs, unless it says otherwise. */
export function startRailPool(changes: Partial<PoolSettings> = {}): RailPool {
  return openRailPool({
    processes: 2,
    cpuMs: 60_000,
    memoryBytes: 1_024 * MB,
    wallMs: 600_000,
    nice: 0,
    ...changes,
  })
}

/** The pools of runs over one pool. */
export const poolsOver = <Pool>(pool: Pool) => ({ trusted: pool, strangers: pool })
