import { divideRounded, toInteger } from '../values/amounts.ts'
import { dayText } from '../values/calendar.ts'
import { amountPlacesOf, type Charge, type Used, usedCharges } from './charges.ts'
import type { Counted, Period } from './period.ts'
import type { EnergyopsHead, EnergyopsResult } from './schema.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Fewer readings than this part of those of the period say too little of the others. */
const READ_SHARE = 2

/** What an interval without a usable reading may have been. */
type Bounds = { lowest: bigint; estimated: bigint; highest: bigint }
type Case = keyof Bounds
type Usual = { mean: bigint; highest: bigint }

export type Range = {
  shown: NonNullable<EnergyopsResult['range']>
  lowest: readonly Charge[]
  highest: readonly Charge[]
}

/**
 * The bill with each interval that lacks a usable reading at least, by estimate and at most; null where nothing bounds it. The
 * estimate is the mean of the readings of the same local hour on the same kind of day (working day, or weekend and holiday) of the
 * period. The least use is none, the most is the largest reading of that hour. An interval below zero, for which the tariff has no
 * rate, is taken off at the rate of its band, or is not.
 */
export function rangeOf(head: EnergyopsHead, used: Used): Range | null {
  const periods = [used.drawn, ...(used.fedIn === null ? [] : [used.fedIn])]
  const isBounded = periods.every(isReadEnough) && ratesOf(head).every((rate) => rate >= 0)
  if (!isBounded) return null
  const { drawn, fedIn } = used
  const usual = usualOf(head, drawn)
  const usualFedIn = fedIn === null ? usual : usualOf(head, fedIn)
  const chargesIn = (ofDrawn: Case, ofFedIn: Case) =>
    usedCharges(head, {
      drawn: filled(drawn, usual, ofDrawn),
      fedIn: fedIn === null ? null : filled(fedIn, usualFedIn, ofFedIn),
    }).charges
  const lowest = chargesIn('lowest', 'highest')
  const highest = chargesIn('highest', 'lowest')
  return {
    lowest,
    highest,
    shown: {
      method: 'mean_of_same_hour',
      intervals: periods.reduce((sum, { unread }) => sum + unread.length, 0),
      lowest_minor: totalOf(head, lowest),
      estimated_minor: totalOf(head, chargesIn('estimated', 'estimated')),
      highest_minor: totalOf(head, highest),
    },
  }
}

const isReadEnough = ({ counted, unread, expected }: Period): boolean =>
  counted.length * READ_SHARE >= expected && unread.every(({ band }) => band >= 0)

/** Every rate: where none is below zero, more use never makes the bill smaller. */
function ratesOf({ tariff }: EnergyopsHead): number[] {
  const bands = [...tariff.bands, ...(tariff.feed_in?.bands ?? [])]
  const given = [
    ...bands.flatMap(({ rate_minor, blocks = [] }) => [
      rate_minor,
      ...blocks.map((one) => one.rate_minor),
    ]),
    ...(tariff.demand ?? []).map(({ rate_minor }) => rate_minor),
    ...(tariff.taxes ?? []).flatMap(({ rate_minor, percent }) => [rate_minor, percent]),
  ]
  return given.map((rate) => Number(rate ?? 0))
}

function totalOf(head: EnergyopsHead, charges: readonly Charge[]): number {
  const total = charges.reduce((sum, { amount }) => sum + amount, 0n)
  return toInteger(divideRounded(total, 10n ** BigInt(amountPlacesOf(head))))
}

/** What the readings of an hour of the day are, by the kind of its day; where that kind has none, on all days, or at any hour. */
function usualOf({ tariff }: EnergyopsHead, { counted }: Period): (local: number) => Usual {
  const holidays = new Set(tariff.holidays)
  const groups = new Map<string, { sum: bigint; count: bigint; highest: bigint }>()
  const keysOf = (local: number): string[] => {
    const day = Math.floor(local / DAY_MS)
    const hour = Math.floor(local / HOUR_MS) % 24
    const isFree = new Date(day * DAY_MS).getUTCDay() % 6 === 0 || holidays.has(dayText(day))
    return [`${isFree ? 'free' : 'working'} ${hour}`, `${hour}`, 'all']
  }
  for (const { local, value } of counted)
    for (const key of keysOf(local)) {
      const group = groups.get(key) ?? { sum: 0n, count: 0n, highest: value }
      groups.set(key, group)
      group.sum += value
      group.count += 1n
      if (value > group.highest) group.highest = value
    }
  return (local) => {
    const [same, hour, all] = keysOf(local).map((key) => groups.get(key))
    const group = same ?? hour ?? all
    if (group === undefined) return { mean: 0n, highest: 0n }
    return { mean: divideRounded(group.sum, group.count), highest: (hour ?? group).highest }
  }
}

/** The period with a value for each of its intervals. */
function filled(period: Period, usual: (local: number) => Usual, which: Case): Period {
  const values = period.unread.map(
    (one): Counted => ({ ...one, value: boundsOf(one.interval.values, usual(one.local))[which] }),
  )
  const counted = [...period.counted, ...values].sort((a, b) => a.interval.at - b.interval.at)
  return { ...period, counted }
}

function boundsOf(values: readonly bigint[], { mean, highest }: Usual): Bounds {
  const sorted = [0n, ...values].toSorted((a, b) => Number(a - b))
  const lowest = sorted[0] ?? 0n
  const most = sorted.at(-1) ?? 0n
  const isGenerated = values.length > 0 && values.every((value) => value < 0n)
  if (isGenerated) return { lowest, estimated: 0n, highest: 0n }
  return { lowest, estimated: mean, highest: most > highest ? most : highest }
}
