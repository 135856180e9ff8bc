import type { MinimumBalance } from '../../activities/payout/minimum-balance.ts'
import { listPauses } from '../../activities/store/payouts/controls.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import type { Gauges } from '../http/metrics.ts'

/** The gauges that operators set alarms on, read for each scrape. The headroom is shown only when a minimum balance is set. */
export function createGauges(
  db: Tx,
  minimumBalance: MinimumBalance,
  minimumAtomic: bigint,
): Gauges {
  const pauses = { help: 'Active pauses.', read: async () => (await listPauses(db)).length }
  if (minimumAtomic === 0n) return { agent_rails_pauses: pauses }
  const help =
    'Atomic units that may leave the payout wallet before its minimum balance is reached; negative below it.'
  const read = async () => {
    const seen = await minimumBalance.read()
    return seen === undefined ? 0 : Number(await minimumBalance.headroom(db, seen))
  }
  return { agent_rails_pauses: pauses, agent_rails_minimum_balance_headroom_atomic: { help, read } }
}
