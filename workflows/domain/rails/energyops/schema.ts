import { z } from 'zod'
import { Id, oneLine } from '../input/names.ts'
import { Decimal, DecimalText, MINOR_MAX } from '../values/amounts.ts'
import { dayOf } from '../values/calendar.ts'
import { CitationShape } from '../work/notes.ts'
import { CheckedTariff, chargeKinds, energyUnits } from './tariff-schema.ts'
import { unitExponent, unitOf } from './units.ts'
import { tariffOfUrdb } from './urdb.ts'
import { isTimeZone } from './zone.ts'

const BILL_DAYS_MAX = 3_660
const BILL_LINES_MAX = 500
const MINUTES_MAX = 525_600

/** One line as it was billed. What it leaves out of `name`, `block` and `month` it stands for as a whole. */
const BillLine = z.strictObject({
  kind: z.enum(chargeKinds),
  /** Of a band, a demand charge or a tax. */
  name: oneLine(64).optional(),
  /** The number of a block of its band, from 1. */
  block: z.int().min(1).max(20).optional(),
  month: z
    .string()
    .regex(/^[0-9]{4}-(0[1-9]|1[0-2])$/)
    .optional(),
  quantity: Decimal.optional(),
  /** As the tariff states it: minor units for one unit, or the percentage of a tax. */
  rate: Decimal.optional(),
  /** Below zero for what is taken off the bill. */
  amount_minor: z.int().min(-MINOR_MAX).max(MINOR_MAX),
})
export type BillLine = z.infer<typeof BillLine>

/** Readings are what was used in an interval; one below zero was fed in. Days of the bill are local, and both count. */
export const EnergyopsGiven = z.strictObject({
  meter: z.strictObject({
    id: Id,
    unit: oneLine(16),
    interval_minutes: z.union([5, 10, 15, 20, 30, 60].map((minutes) => z.literal(minutes))),
    /** What the time of a reading is of its interval: its start, unless this says its end. */
    interval_time: z.enum(['start', 'end']).optional(),
    time_zone: z.string().max(64).refine(isTimeZone, 'is no time zone of the IANA database'),
  }),
  /** Rates in minor units; without it `urdb`. */
  tariff: CheckedTariff.optional(),
  /** A rate of the OpenEI utility rate database, as its API gives it. */
  urdb: z.record(z.string(), z.unknown()).optional(),
  /** `total_minor` is with the taxes that the tariff states, and before all others. */
  bill: z
    .strictObject({
      from: z.iso.date(),
      to: z.iso.date(),
      total_minor: z.int().min(-MINOR_MAX).max(MINOR_MAX),
      lines: z.array(BillLine).min(1).max(BILL_LINES_MAX).optional(),
    })
    .refine(
      ({ from, to }) => from <= to && dayOf(to) - dayOf(from) < BILL_DAYS_MAX,
      'is no period of at most ten years',
    ),
  /** How far the bill may be off and still agree; without it half a minor unit for each line item, rounded up. */
  tolerance_minor: z.int().min(0).max(MINOR_MAX).optional(),
})

export type Given = z.infer<typeof EnergyopsGiven>
/** What is given, with its tariff in the words of this rail. */
export type EnergyopsHead = Omit<Given, 'tariff' | 'urdb'> & {
  tariff: z.infer<typeof CheckedTariff>
}

/** The head of an input that was checked. */
export function headOf({ tariff, urdb = {}, ...head }: Given): EnergyopsHead {
  const converted = tariff === undefined ? tariffOfUrdb(urdb, head.bill) : { tariff }
  if ('faults' in converted) throw new RangeError('the tariff was not checked')
  return { ...head, tariff: converted.tariff }
}

/** Reports what is wrong with the tariff, and where meter and tariff contradict each other. */
export function checkHead(
  given: Given,
  fault: (path: PropertyKey[], message: string) => void,
): void {
  if ((given.tariff === undefined) === (given.urdb === undefined)) {
    fault(['tariff'], 'is given in tariff or in urdb, and only in one of them')
    return
  }
  const converted = given.urdb === undefined ? null : tariffOfUrdb(given.urdb, given.bill)
  if (converted !== null && 'faults' in converted)
    for (const [member, message] of converted.faults) fault(['urdb', member], message)
  else checkMeter(headOf(given), fault)
}

function checkMeter(
  { meter, tariff }: EnergyopsHead,
  fault: (path: PropertyKey[], message: string) => void,
): void {
  if (unitExponent(meter.unit, tariff.rate_unit) === null)
    fault(['tariff', 'rate_unit'], `is no unit of what a meter in ${meter.unit} reads`)
  const isEnergy = energyUnits.some((unit) => unit === unitOf(meter.unit))
  for (const [index, { window_minutes = meter.interval_minutes }] of (
    tariff.demand ?? []
  ).entries()) {
    const place = ['tariff', 'demand', index]
    if (!isEnergy) fault(place, `needs a meter in Wh, kWh or MWh, and this one is in ${meter.unit}`)
    if (window_minutes % meter.interval_minutes !== 0)
      fault([...place, 'window_minutes'], 'is no whole number of the meter’s intervals')
  }
}

/**
 * `at` is an instant (with Z or an offset) or, without either, the time on the local clock. What a row says of its unit and its
 * time goes before what the meter says; a row of another length, or of a unit of something else, does not count.
 */
export const Reading = z.strictObject({
  at: z.iso.datetime({ offset: true, local: true }),
  value: Decimal,
  unit: oneLine(16).optional(),
  interval_time: z.enum(['start', 'end']).optional(),
  interval_minutes: z.int().min(1).max(MINUTES_MAX).optional(),
})

const citations = z.array(CitationShape)
const Stretch = z.strictObject({ from: z.string(), to: z.string(), intervals: z.int() })
const ofLine = {
  kind: z.enum(chargeKinds),
  name: z.string().nullable(),
  block: z.int().nullable(),
  month: z.string().nullable(),
}

export const lineReasons = [
  'agrees',
  'quantity_differs',
  'rate_differs',
  'quantity_and_rate_differ',
  'wrong_product',
  'amount_differs',
  'not_in_tariff',
  'billed_twice',
  'not_billed',
  'undetermined',
] as const

export const EnergyopsResult = z.strictObject({
  /** Stretches of intervals without a usable reading, as instants in UTC; `to` is not in them. */
  gaps: z.array(Stretch),
  duplicates: z.array(z.strictObject({ at: z.string(), same: z.boolean(), citations })),
  outliers: z.array(
    z.strictObject({
      at: z.string(),
      kind: z.enum(['spike', 'negative']),
      value: DecimalText,
      score: z.number().nullable(),
      citations,
    }),
  ),
  /** The local days of the period that have more or fewer intervals than others, because clocks change on them. */
  clock_changes: z.array(z.strictObject({ day: z.string(), intervals: z.int(), counted: z.int() })),
  energy_by_band: z.array(
    z.strictObject({ band: z.string(), intervals: z.int(), energy: DecimalText }),
  ),
  feed_in_by_band: z.array(
    z.strictObject({ band: z.string(), intervals: z.int(), energy: DecimalText }),
  ),
  /** The highest mean power of a window, null where no window is whole; `billed` is it or the minimum. */
  demand: z.array(
    z.strictObject({
      name: z.string(),
      month: z.string().nullable(),
      at: z.string().nullable(),
      peak: DecimalText.nullable(),
      billed: DecimalText,
      unit: z.string(),
      citations,
    }),
  ),
  /**
   * Exact amounts in minor units, or whole ones where the tariff rounds lines; they sum to `recomputed_exact_minor`. The quantity of
   * a percentage is the amount that it is of, and its rate is the share.
   */
  line_items: z.array(
    z.strictObject({
      ...ofLine,
      quantity: DecimalText,
      unit: z.string(),
      rate_minor: DecimalText,
      amount_minor: DecimalText,
      citations,
    }),
  ),
  /** Each billed line with what it should be, then what was not billed; `line` is its index in the bill. Empty without billed lines. */
  bill_lines: z.array(
    z.strictObject({
      line: z.int().nullable(),
      ...ofLine,
      billed_minor: z.int().nullable(),
      recomputed_exact_minor: DecimalText,
      recomputed_minor: z.int(),
      difference_minor: z.int(),
      reason: z.enum(lineReasons),
      detail: z.string(),
      citations,
    }),
  ),
  intervals: z.strictObject({ expected: z.int(), counted: z.int() }),
  /**
   * What the bill comes to with the intervals that lack a usable reading: at least, by estimate, at most. Null where none lacks one,
   * and where bands, rates of feed-in or most readings are missing or a rate is below zero, so that nothing bounds it.
   */
  range: z
    .strictObject({
      method: z.literal('mean_of_same_hour'),
      intervals: z.int(),
      lowest_minor: z.int(),
      estimated_minor: z.int(),
      highest_minor: z.int(),
    })
    .nullable(),
  recomputed_exact_minor: DecimalText,
  /** The exact sum, rounded once, half away from zero. */
  recomputed_minor: z.int(),
  billed_minor: z.int(),
  currency: z.string(),
  /** Billed less recomputed. */
  difference_minor: z.int(),
  /** Of the whole range, where there is one. */
  verdict: z.enum(['agrees', 'overbilled', 'underbilled', 'undetermined']),
})

export type Reading = z.infer<typeof Reading>
export type EnergyopsResult = z.infer<typeof EnergyopsResult>
type Lists = { readings: Reading[]; exports?: Reading[] | undefined }
export type EnergyopsInput = EnergyopsHead & Lists
export type GivenInput = Given & Lists
