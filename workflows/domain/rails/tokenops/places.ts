import type { Citation } from '../rail.ts'
import { cite } from '../work/notes.ts'
import { type UsageList, usageLists } from './usage.ts'

/** Where a row stands: its list and its index in one number, in the order of lists and then of rows. */
export type Place = number
const ROWS = 2 ** 40

export function placeOf(list: UsageList, index: number): Place {
  return usageLists.indexOf(list) * ROWS + index
}

export function citeRow(place: Place): Citation {
  return cite(usageLists[Math.floor(place / ROWS)] ?? 'usage', place % ROWS)
}
