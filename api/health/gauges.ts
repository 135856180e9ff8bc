import type { MinimumBalance } from '../../activities/payout/minimum-balance.ts'
import { listPauses } from '../../activities/store/payouts/controls.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import type { Gauges } from '../http/metrics.ts'

/** What operators alarm on, read anew for each print of the metrics; the headroom only where there is a floor. */
export function createGauges(
  db: Tx,
  minimumBalance: MinimumBalance,
  minimumAtomic: bigint,
): Gauges {
  const pauses = { help: 'Active pauses.', read: async () => (await listPauses(db)).length }
  if (minimumAtomic === 0n) return { agent_rails_pauses: pauses }
  const help =
    'Atomic units that may still leave the payout wallet above its floor; negative under it.'
  const read = async () => {
    const seen = await minimumBalance.read()
    return seen === undefined ? 0 : Number(await minimumBalance.headroom(db, seen))
  }
  return { agent_rails_pauses: pauses, agent_rails_floor_headroom_atomic: { help, read } }
}
