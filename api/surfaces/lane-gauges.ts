import { keepFresh } from '../../activities/chain/shared-reading.ts'
import type { LaneHealth } from '../../activities/store/lane-health.ts'
import type { Gauges } from './metrics.ts'

/** The lanes of the gas wallets for /metrics; one reading for all of them. */
export function laneGauges(lanes: () => Promise<LaneHealth[]>): Gauges {
  const read = keepFresh(lanes, 0)
  const gauge = (help: string, of: (lane: LaneHealth) => number) => ({
    help,
    label: 'gas_wallet',
    read: async () => new Map((await read()).map((lane) => [lane.wallet, of(lane)])),
  })
  return {
    agent_rails_lane_open_nonces: gauge('EOA nonces given out and not mined.', (lane) => lane.open),
    agent_rails_lane_idle_seconds: gauge(
      'How long the oldest open nonce is the same one.',
      (lane) => lane.idleMs / 1000,
    ),
    agent_rails_lane_jammed: gauge('1 when that is longer than LANE_JAM_AFTER_MS.', (lane) => Number(lane.jammed)),
  }
}
