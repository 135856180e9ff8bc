import type { Citation } from '../rail.ts'
import { decimalText, divideRounded, microOf, toMicro } from '../values/amounts.ts'
import { dayOf } from '../values/calendar.ts'
import { type Charged, demandCitations, demandsOf, powerUnitOf } from './demand.ts'
import type { Counted, Period } from './period.ts'
import type { EnergyopsHead, EnergyopsResult } from './schema.ts'
import type { Band, Tax } from './tariff-schema.ts'
import { AMOUNT_PLACES, ENERGY_PLACES, rateUnitOf } from './units.ts'

/** A percentage has eight more places than what it is of. */
const SHARE_PLACES = 8

type Line = EnergyopsResult['line_items'][number]
/** A line of the recomputed bill; `rate` is the rate in the words of the tariff, which for a tax is its percentage. */
export type Charge = Pick<Line, 'kind' | 'name' | 'block' | 'month' | 'unit'> & {
  quantity: bigint
  quantityPlaces: number
  rate: bigint
  ratePlaces: number
  stated: string
  amount: bigint
  citations: Citation[]
}
export type ByBand = { intervals: number; energy: bigint }[]

/** The places of all amounts of a bill, so that each of its taxes is exact. */
export const amountPlacesOf = ({ tariff }: Pick<EnergyopsHead, 'tariff'>): number =>
  AMOUNT_PLACES + SHARE_PLACES * (tariff.taxes?.length ?? 0)

/** The energy of each band. */
function byBand(bands: readonly Band[], counted: readonly Counted[]): ByBand {
  const sums = bands.map(() => ({ intervals: 0, energy: 0n }))
  for (const { band, value } of counted) {
    const sum = sums[band]
    if (sum === undefined) continue
    sum.intervals += 1
    sum.energy += value
  }
  return sums
}

/** What was drawn and fed in in the intervals of a bill. */
export type Used = { drawn: Period; fedIn: Period | null }
type Sums = { drawn: ByBand; fedIn: ByBand; demands: readonly Charged[]; energy: bigint }

/** The energy of each band and what all of it comes to. */
export function usedCharges(head: EnergyopsHead, { drawn, fedIn }: Used) {
  const sums = {
    drawn: byBand(head.tariff.bands, drawn.counted),
    fedIn: byBand(head.tariff.feed_in?.bands ?? [], fedIn?.counted ?? []),
    demands: demandsOf(head, drawn),
    energy: drawn.counted.reduce((sum, { value }) => sum + value, 0n),
  }
  return { ...sums, charges: chargesOf(head, sums) }
}

/** Every line of a bill by its tariff: energy, demand, standing charge, feed-in, and then the taxes on them. */
function chargesOf(head: EnergyopsHead, { drawn, fedIn, demands, energy }: Sums): Charge[] {
  const { tariff, bill } = head
  const days = dayOf(bill.to) - dayOf(bill.from) + 1
  const standing = [
    ['day', 'standing_per_day', days],
    ['bill', 'standing_per_bill', 1],
  ] as const
  const line = lineMaker(head)
  const ofEnergy = (kind: 'energy' | 'feed_in', place: string, bands: readonly Band[]) => {
    const sums = kind === 'energy' ? drawn : fedIn
    return bands.flatMap((band, index) => {
      const sum = sums[index]
      if (sum === undefined || sum.intervals === 0) return []
      return partsOf(band, sum.energy, days).map(({ part, block, rate }) => {
        const pointer = `${place}/${index}${block === null ? '' : `/blocks/${block - 1}`}`
        const quantity = kind === 'energy' ? part : -part
        const of = { kind, name: band.name, block, unit: rateUnitOf(head) }
        return line(of, quantity, rate, [{ pointer }])
      })
    })
  }
  const charges = [
    ...ofEnergy('energy', '/tariff/bands', tariff.bands),
    ...demands.map((one) =>
      line(
        { kind: 'demand', name: one.charge.name, month: one.month, unit: powerUnitOf(head) },
        one.billed,
        one.charge.rate_minor,
        demandCitations(one),
      ),
    ),
    ...standing.flatMap(([unit, member, count]) => {
      const rate = tariff[member]
      const citations = [{ pointer: `/tariff/${member}` }, { pointer: '/bill' }]
      const quantity = microOf(count) * 1_000_000n
      return rate === undefined ? [] : [line({ kind: 'standing', unit }, quantity, rate, citations)]
    }),
    ...ofEnergy('feed_in', '/tariff/feed_in/bands', tariff.feed_in?.bands ?? []),
  ]
  for (const [index, tax] of (tariff.taxes ?? []).entries()) {
    const citations = [{ pointer: `/tariff/taxes/${index}` }]
    const of = { kind: 'tax', name: tax.name, unit: rateUnitOf(head) } as const
    charges.push(
      tax.rate_minor === undefined
        ? shareOf(head, tax, charges, citations)
        : line(of, energy, tax.rate_minor, citations),
    )
  }
  return charges
}

type Of = Pick<Charge, 'kind' | 'unit'> & Partial<Pick<Charge, 'name' | 'block' | 'month'>>

/** A quantity in 10⁻¹² of a unit, a rate in millionths, and their product. */
function lineMaker(head: EnergyopsHead) {
  const places = amountPlacesOf(head)
  const factor = 10n ** BigInt(places - AMOUNT_PLACES)
  return (
    { name = null, block = null, month = null, ...of }: Of,
    quantity: bigint,
    given: number | string,
    citations: Citation[],
  ): Charge => {
    const rate = toMicro(given)
    return {
      ...of,
      name,
      block,
      month,
      quantity,
      quantityPlaces: ENERGY_PLACES,
      rate,
      ratePlaces: 6,
      stated: decimalText(rate, 6),
      amount: counting(head, quantity * rate * factor),
      citations,
    }
  }
}

function shareOf(
  head: EnergyopsHead,
  { name, percent = 0, on = ['energy', 'demand', 'standing'] }: Tax,
  before: readonly Charge[],
  citations: Citation[],
): Charge {
  const rate = toMicro(percent)
  const base = before
    .filter(({ kind }) => on.includes(kind))
    .reduce((sum, { amount }) => sum + amount, 0n)
  return {
    kind: 'tax',
    name,
    block: null,
    month: null,
    unit: 'minor',
    quantity: base,
    quantityPlaces: amountPlacesOf(head),
    rate,
    ratePlaces: SHARE_PLACES,
    stated: decimalText(rate, 6),
    amount: counting(head, (base * rate) / 10n ** BigInt(SHARE_PLACES)),
    citations,
  }
}

/** The amount as the tariff lets it count: rounded to a minor unit, or as it is. */
function counting({ tariff }: EnergyopsHead, amount: bigint): bigint {
  if (tariff.rounding !== 'lines') return amount
  const unit = 10n ** BigInt(amountPlacesOf({ tariff }))
  return divideRounded(amount, unit) * unit
}

type Part = { part: bigint; block: number | null; rate: number | string }

/** The energy of a band, by its blocks where it has any. */
function partsOf(
  { rate_minor = 0, blocks, blocks_per }: Band,
  energy: bigint,
  days: number,
): Part[] {
  if (blocks === undefined) return [{ part: energy, block: null, rate: rate_minor }]
  if (energy < 0n) return [{ part: energy, block: 1, rate: blocks[0]?.rate_minor ?? 0 }]
  const times = blocks_per === 'day' ? days : 1
  const bound = (value: number | string) =>
    toMicro(value) * BigInt(times) * 10n ** BigInt(ENERGY_PLACES - 6)
  return blocks.flatMap(({ from, to, rate_minor: rate }, index) => {
    const end = to === undefined || bound(to) > energy ? energy : bound(to)
    const part = end - bound(from)
    return part > 0n ? [{ part, block: index + 1, rate }] : []
  })
}

export const shownCharge = (charge: Charge, places: number): Line => ({
  kind: charge.kind,
  name: charge.name,
  block: charge.block,
  month: charge.month,
  quantity: decimalText(charge.quantity, charge.quantityPlaces),
  unit: charge.unit,
  rate_minor: decimalText(charge.rate, charge.ratePlaces),
  amount_minor: decimalText(charge.amount, places),
  citations: charge.citations,
})
