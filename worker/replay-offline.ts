import { defaultPoolSettings, openRailPool } from '../activities/runs/isolation/rail-pool.ts'
import { replayApart } from '../activities/runs/isolation/replay-uploads.ts'

type Replay = typeof replayApart extends (pool: never, ...rest: infer Rest) => infer Report
  ? (...rest: Rest) => Report
  : never

/** Replays a package in processes of its own, which are gone afterwards. */
export const replayOffline: Replay = (...replay) => {
  const pool = openRailPool(defaultPoolSettings())
  return replayApart(pool, ...replay).finally(() => pool.close())
}
