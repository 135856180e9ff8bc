import { contractops } from './contractops/index.ts'
import { diligenceops } from './diligenceops/index.ts'
import { distributionops } from './distributionops/index.ts'
import { energyops } from './energyops/index.ts'
import { financeops } from './financeops/index.ts'
import { packetops } from './packetops/index.ts'
import type { Rail, RailKey } from './rail.ts'
import { scoutOver, serviceOf } from './scout/index.ts'
import { tokenops } from './tokenops/index.ts'

const working: readonly Rail[] = [
  packetops,
  diligenceops,
  energyops,
  distributionops,
  tokenops,
  financeops,
  contractops,
]

/** Every rail. Prices, lists and offers follow from the declarations. */
export const rails: readonly Rail[] = [...working, scoutOver(working.map(serviceOf))]

/** The rail of a key; throws a RangeError where there is none. */
export function railOf(key: RailKey): Rail {
  const rail = rails.find((candidate) => candidate.key === key)
  if (rail === undefined) throw new RangeError(`there is no rail ${key}`)
  return rail
}
