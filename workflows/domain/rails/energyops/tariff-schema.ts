import { z } from 'zod'
import { faultsTo } from '../input/fields.ts'
import { Currency, oneLine } from '../input/names.ts'
import { Decimal, scaled } from '../values/amounts.ts'
import { overlappingSeasons } from './seasons.ts'

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const dayKinds = [...weekdays, 'holiday'] as const
export const energyUnits = ['Wh', 'kWh', 'MWh'] as const
export const chargeKinds = ['energy', 'demand', 'standing', 'feed_in', 'tax'] as const

const ClockTime = z.string().regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/)
const Name = oneLine(64)
const isPositive = (value: number | string) => Number(value) > 0
const isNotNegative = (value: number | string) => Number(value) >= 0

/** When something applies, by local time: all that is left out applies always. */
const when = {
  /** `to` is not in it; one that ends before it starts continues past midnight. */
  from: ClockTime.optional(),
  to: ClockTime.optional(),
  /** The days of local time on which an interval begins; on a holiday only `holiday` counts. */
  days: z.array(z.enum(dayKinds)).min(1).max(8).optional(),
  seasons: z.array(Name).min(1).max(12).optional(),
}

/** The part of a band's energy above `from` and up to `to`, in the unit of the rates; the last block has no end. */
const Block = z.strictObject({
  from: Decimal.refine(isNotNegative, 'is below zero'),
  to: Decimal.refine(isPositive, 'is not above zero').optional(),
  rate_minor: Decimal,
})

type BlockFault = [field: 'from' | 'to', index: number, message: string]

/** Blocks begin at zero, follow one another without gap or overlap, and the last one has no end. */
function blockFaults(blocks: readonly z.infer<typeof Block>[]): BlockFault[] {
  return blocks.flatMap(({ from, to }, index) => {
    const before = index === 0 ? 0 : blocks[index - 1]?.to
    const isLast = index === blocks.length - 1
    const [begin, end, ended] = [from, to, before].map((value) =>
      value === undefined ? null : scaled(value, 6),
    ) as [bigint | null, bigint | null, bigint | null]
    const faults: (BlockFault | false)[] = [
      begin !== null &&
        ended !== null &&
        begin > ended && ['from', index, `leaves a gap: the blocks before end at ${before}`],
      begin !== null &&
        ended !== null &&
        begin < ended && ['from', index, `overlaps: the blocks before end at ${before}`],
      to === undefined && !isLast && ['to', index, 'is missing, and blocks follow'],
      to !== undefined &&
        isLast && ['to', index, 'ends the last block, above which there is no rate'],
      begin !== null && end !== null && end <= begin && ['to', index, 'is not above from'],
    ]
    return faults.filter((one) => one !== false)
  })
}

/** Minor units for one unit of energy: one rate, or a rate for each block of the energy of the bill. */
const Band = z
  .strictObject({
    name: Name,
    rate_minor: Decimal.optional(),
    blocks: z.array(Block).min(1).max(20).optional(),
    /** `day`: the bounds of blocks are for each local day of the bill, and are multiplied by their number. */
    blocks_per: z.enum(['bill', 'day']).optional(),
    ...when,
  })
  .superRefine(({ rate_minor, blocks, blocks_per }, context) => {
    const fault = faultsTo(context)
    if ((rate_minor === undefined) === (blocks === undefined))
      fault([], 'has neither rate_minor nor blocks, or both')
    if (blocks === undefined && blocks_per !== undefined)
      fault(['blocks_per'], 'stands without blocks')
    for (const [field, index, message] of blockFaults(blocks ?? []))
      fault(['blocks', index, field], message)
  })
export type Band = z.infer<typeof Band>

/** Days of the year, both counted; a season that ends before it begins continues over the new year. */
const Season = z.strictObject({
  name: Name,
  from: z.string().regex(/^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/),
  to: z.string().regex(/^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/),
})

/** Minor units for the highest mean power of a window, in the unit of the rates without its hour: kW for kWh. */
const Demand = z.strictObject({
  name: Name,
  rate_minor: Decimal,
  /** Windows follow one another from the first local midnight of the bill; without it each interval is one. */
  window_minutes: z.union([5, 10, 15, 20, 30, 60].map((minutes) => z.literal(minutes))).optional(),
  /** `month`: charged for each calendar month that the bill has days of; without it once. */
  per: z.enum(['bill', 'month']).optional(),
  /** Billed at least. */
  minimum: Decimal.refine(isNotNegative, 'is below zero').optional(),
  ...when,
})
export type Demand = z.infer<typeof Demand>

/** A share of other charges, or an amount for each unit of energy drawn; in the order in which they are charged. */
const Tax = z
  .strictObject({
    name: Name,
    percent: Decimal.refine(
      (value) => Math.abs(Number(value)) <= 1_000,
      'is no percentage from -1000 to 1000',
    ).optional(),
    rate_minor: Decimal.optional(),
    /** What the percentage is of; `tax` is the taxes before this one. Without it energy, demand and standing charge. */
    on: z.array(z.enum(chargeKinds)).min(1).max(5).optional(),
  })
  .refine(
    ({ percent, rate_minor }) => (percent === undefined) !== (rate_minor === undefined),
    'has neither percent nor rate_minor, or both',
  )
  .refine(({ rate_minor, on }) => rate_minor === undefined || on === undefined, {
    path: ['on'],
    message: 'stands without percent',
  })
export type Tax = z.infer<typeof Tax>

const Tariff = z.strictObject({
  currency: Currency,
  /** What the rates are for; without it one unit of the meter. */
  rate_unit: z.enum(energyUnits).optional(),
  standing_per_day: Decimal.optional(),
  /** Once for the bill. */
  standing_per_bill: Decimal.optional(),
  seasons: z.array(Season).min(1).max(12).optional(),
  /** Local days. */
  holidays: z.array(z.iso.date()).max(400).optional(),
  /** An interval has the first band that its beginning is in. */
  bands: z.array(Band).min(1).max(48),
  demand: z.array(Demand).min(1).max(8).optional(),
  /** Minor units for one unit of energy that was fed in; they are taken off the bill. */
  feed_in: z.strictObject({ bands: z.array(Band).min(1).max(48) }).optional(),
  taxes: z.array(Tax).min(1).max(8).optional(),
  /** `lines`: each line is rounded to a minor unit, half away from zero, before it counts. */
  rounding: z.enum(['bill', 'lines']).optional(),
})
type TariffOf = z.infer<typeof Tariff>

/** A tariff without contradictions. */
export const CheckedTariff = Tariff.superRefine((tariff, context) => {
  const fault = faultsTo(context)
  for (const [index, other] of overlappingSeasons(tariff.seasons ?? []))
    fault(['seasons', index], `overlaps the season ${tariff.seasons?.[other]?.name}`)
  for (const list of ['seasons', 'demand', 'taxes'] as const) {
    const names = (tariff[list] ?? []).map(({ name }) => name)
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index) fault([list, index, 'name'], 'is the name of another one')
  }
  const seasons = new Set(tariff.seasons?.map(({ name }) => name))
  for (const [place, { seasons: own = [], days = [] }] of conditionsOf(tariff)) {
    for (const [at, name] of own.entries())
      if (!seasons.has(name)) fault([...place, 'seasons', at], 'is no season of the tariff')
    if (days.includes('holiday') && tariff.holidays === undefined)
      fault([...place, 'days'], 'names holidays, and the tariff lists none')
  }
})

type Conditions = { seasons?: string[] | undefined; days?: string[] | undefined }

function conditionsOf({ bands, demand = [], feed_in }: TariffOf): [PropertyKey[], Conditions][] {
  const placed = (path: PropertyKey[], list: Conditions[]) =>
    list.map((one, index): [PropertyKey[], Conditions] => [[...path, index], one])
  return [
    ...placed(['bands'], bands),
    ...placed(['demand'], demand),
    ...placed(['feed_in', 'bands'], feed_in?.bands ?? []),
  ]
}
