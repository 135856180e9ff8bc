import { z } from 'zod'
import { Decimal, DecimalText, MINOR_MAX } from '../amounts.ts'
import { dayOf } from '../calendar.ts'
import { Currency, Id, oneLine } from '../names.ts'
import { CitationShape } from '../notes.ts'
import { isTimeZone } from './zone.ts'

const BILL_DAYS_MAX = 3_660
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const ClockTime = z.string().regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/)
const Band = z.strictObject({
  name: oneLine(64),
  /** Minor units for one unit of the meter. */
  rate_minor: Decimal,
  /** Local times; `to` is not in the band, a band that ends before it starts continues past midnight, and one without times covers the whole day. */
  from: ClockTime.optional(),
  to: ClockTime.optional(),
  /** The days of local time on which an interval of the band begins; without them every day. */
  days: z.array(z.enum(weekdays)).min(1).max(7).optional(),
})

/** Readings are what was used in the interval that begins at their time. Days of the bill are local, and both count. */
export const EnergyopsHead = z.strictObject({
  meter: z.strictObject({
    id: Id,
    unit: oneLine(16),
    interval_minutes: z.union([5, 10, 15, 20, 30, 60].map((minutes) => z.literal(minutes))),
    time_zone: z.string().max(64).refine(isTimeZone, 'is no time zone of the IANA database'),
  }),
  /** An interval has the first band that its beginning is in. Standing charge in minor units for each local day. */
  tariff: z.strictObject({
    currency: Currency,
    standing_per_day: Decimal.optional(),
    bands: z.array(Band).min(1).max(48),
  }),
  /** `total_minor` is before taxes. */
  bill: z
    .strictObject({
      from: z.iso.date(),
      to: z.iso.date(),
      total_minor: z.int().min(-MINOR_MAX).max(MINOR_MAX),
    })
    .refine(
      ({ from, to }) => from <= to && dayOf(to) - dayOf(from) < BILL_DAYS_MAX,
      'is no period of at most ten years',
    ),
  /** How far the bill may be off and still agree; without it half a minor unit for each line item, rounded up. */
  tolerance_minor: z.int().min(0).max(MINOR_MAX).optional(),
})
/** `at` is an instant (with Z or an offset) or, without either, the time on the local clock. */
export const Reading = z.strictObject({
  at: z.iso.datetime({ offset: true, local: true }),
  value: Decimal,
})

const citations = z.array(CitationShape)
const Stretch = z.strictObject({ from: z.string(), to: z.string(), intervals: z.int() })

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
  /** Exact amounts in minor units; they sum to `recomputed_exact_minor`. */
  line_items: z.array(
    z.strictObject({
      kind: z.enum(['energy', 'standing']),
      band: z.string().nullable(),
      quantity: DecimalText,
      unit: z.string(),
      rate_minor: DecimalText,
      amount_minor: DecimalText,
      citations,
    }),
  ),
  intervals: z.strictObject({ expected: z.int(), counted: z.int() }),
  recomputed_exact_minor: DecimalText,
  /** The exact sum, rounded once, half away from zero. */
  recomputed_minor: z.int(),
  billed_minor: z.int(),
  currency: z.string(),
  /** Billed less recomputed. */
  difference_minor: z.int(),
  verdict: z.enum(['agrees', 'overbilled', 'underbilled', 'undetermined']),
})

export type EnergyopsHead = z.infer<typeof EnergyopsHead>
export type Reading = z.infer<typeof Reading>
export type EnergyopsResult = z.infer<typeof EnergyopsResult>
export type EnergyopsInput = EnergyopsHead & { readings: Reading[] }
