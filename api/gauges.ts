import type { Floor } from '../activities/floor.ts'
import { listPauses } from '../activities/store/controls.ts'
import type { Tx } from '../activities/store/db.ts'
import type { Gauges } from './surfaces/metrics.ts'

/** What operators alarm on, read anew for each print of the metrics; the headroom only where there is a floor. */
export function createGauges(db: Tx, floor: Floor, floorAtomic: bigint): Gauges {
  const pauses = { help: 'Active pauses.', read: async () => (await listPauses(db)).length }
  if (floorAtomic === 0n) return { agent_rails_pauses: pauses }
  const help = 'Atomic units that may still leave the payout wallet above its floor; negative under it.'
  const read = async () => {
    const seen = await floor.look()
    return seen === undefined ? 0 : Number(await floor.headroom(db, seen))
  }
  return { agent_rails_pauses: pauses, agent_rails_floor_headroom_atomic: { help, read } }
}
