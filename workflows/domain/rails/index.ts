import { type Rail, type RailKey, railKeys } from './rail.ts'
import * as registered from './registered.ts'
import { scoutOver, serviceOf } from './scout/index.ts'

const byKey: Readonly<Record<RailKey, Rail>> = {
  ...registered,
  scout: scoutOver(Object.values<Rail>(registered).map(serviceOf)),
}

/** Every rail, in the order of the keys. Prices, lists and offers follow from the declarations. */
export const rails: readonly Rail[] = railKeys.map((key) => byKey[key])

/** The rail of a key; throws a RangeError where there is none. */
export function railOf(key: RailKey): Rail {
  const rail = rails.find((candidate) => candidate.key === key)
  if (rail === undefined) throw new RangeError(`there is no rail ${key}`)
  return rail
}
