import { expect } from 'vitest'
import { energyops } from '#domain/rails/energyops/index.ts'
import type { EnergyopsInput } from '#domain/rails/energyops/schema.ts'
import { verifies } from '../../../../verifies.ts'

const codes = (notified: { code: string }[]) => notified.map(({ code }) => code)
const hour = (index: number): string =>
  `${new Date(Date.UTC(2026, 4, 4) + index * 3_600_000).toISOString().slice(0, 19)}Z`

/** A week from a Monday in hours of 1 kWh, on Saturday and Sunday 3 kWh, and 2 kWh at noon; ten cents by day, five at night. */
const week = (): EnergyopsInput => ({
  meter: { id: 'm', unit: 'kWh', interval_minutes: 60, time_zone: 'UTC' },
  tariff: {
    currency: 'EUR',
    bands: [
      { name: 'night', rate_minor: 5, from: '22:00', to: '06:00' },
      { name: 'day', rate_minor: 10 },
    ],
  },
  // Seven days: 5 working days of 8 × 5 + 16 × 10 + 10, and two of 3 times 200 and 10 less, since noon has 2 kWh as well.
  bill: { from: '2026-05-04', to: '2026-05-10', total_minor: 5 * 210 + 2 * 590 },
  readings: Array.from({ length: 7 * 24 }, (_, index) => {
    const usual = index >= 5 * 24 ? 3 : 1
    return { at: hour(index), value: index % 24 === 12 ? 2 : usual }
  }),
})
const without = (input: EnergyopsInput, ...indexes: number[]): EnergyopsInput => ({
  ...input,
  readings: input.readings.filter((_, index) => !indexes.includes(index)),
})

verifies('energyops.range', 'a missing interval gives a range, an estimate and a verdict', () => {
  const whole = energyops.work(week()).result
  expect([whole.recomputed_minor, whole.verdict, whole.range]).toEqual([2_230, 'agrees', null])
  // Monday 15:00: other working days have 1 kWh in that hour, the weekend 3.
  const { result, gaps } = energyops.work(without(week(), 15))
  expect(result.range).toEqual({
    method: 'mean_of_same_hour',
    intervals: 1,
    lowest_minor: 2_220,
    estimated_minor: 2_230,
    highest_minor: 2_250,
  })
  expect(result.verdict).toBe('undetermined')
  expect(codes(gaps)).toContain('missing')
  const billed = (total_minor: number) => {
    const input = without(week(), 15)
    return energyops.work({ ...input, bill: { ...input.bill, total_minor } }).result.verdict
  }
  expect([billed(2_251), billed(2_252), billed(2_219), billed(2_218)]).toEqual([
    'undetermined',
    'overbilled',
    'undetermined',
    'underbilled',
  ])
  const tolerant = { ...without(week(), 15), tolerance_minor: 20 }
  expect(energyops.work(tolerant).result.verdict).toBe('agrees')
})

verifies(
  'energyops.range',
  'a missing hour leaves lines of other bands and the peak judged',
  () => {
    const input = without(week(), 23)
    const lines = [
      { kind: 'energy', name: 'night', amount_minor: 440 },
      { kind: 'energy', name: 'day', amount_minor: 1_900 },
    ] as const
    const { result } = energyops.work({ ...input, bill: { ...input.bill, lines: [...lines] } })
    expect(result.bill_lines.map(({ reason }) => reason)).toEqual([
      'undetermined',
      'amount_differs',
    ])
    // A demand charge may come from the missing hour: at most the 3 kWh of other days.
    const peak = { name: 'peak', rate_minor: 100 }
    const demand = without({ ...week(), tariff: { ...week().tariff, demand: [peak] } }, 15, 130)
    expect(energyops.work(demand).result.range).toMatchObject({
      // Saturday 10:00 was 3 kWh, as other hours of the weekend are.
      lowest_minor: 2_230 - 10 - 30 + 300,
      estimated_minor: 2_230 + 300,
      highest_minor: 2_230 - 10 + 30 + 300,
    })
  },
)

verifies(
  'energyops.range',
  'nothing bounds a bill without bands, readings or rates above zero',
  () => {
    const ranges = [
      without(week(), ...Array.from({ length: 100 }, (_, index) => index)),
      without(
        { ...week(), tariff: { currency: 'EUR', bands: [{ name: 'n', rate_minor: -1 }] } },
        15,
      ),
      without(
        {
          ...week(),
          tariff: { currency: 'EUR', bands: [{ name: 'n', rate_minor: 1, to: '15:00' }] },
        },
        15,
      ),
      { ...without(week(), 15), exports: [{ at: hour(3), value: 1 }] },
    ].map((input) => energyops.work(input).result)
    expect(ranges.map(({ range }) => range)).toEqual([null, null, null, null])
    expect(new Set(ranges.map(({ verdict }) => verdict))).toEqual(new Set(['undetermined']))
  },
)

/** At noon of each day two kilowatt-hours go to the grid. */
const net = (): EnergyopsInput => ({
  ...week(),
  readings: week().readings.map((one, index) => (index % 24 === 12 ? { ...one, value: -2 } : one)),
})

verifies('energyops.net', 'intervals below zero are fed in where the tariff pays for it', () => {
  const paid = {
    ...net().tariff,
    feed_in: { bands: [{ name: 'all', rate_minor: 4, from: '10:00', to: '16:00' }] },
  }
  // Without the 20 of each noon, less 7 × 2 × 4.
  const bill = { ...net().bill, total_minor: 2_230 - 140 - 56 }
  const work = energyops.work({ ...net(), tariff: paid, bill })
  expect(work.result).toMatchObject({ verdict: 'agrees', range: null, outliers: [] })
  expect(work.result.feed_in_by_band).toMatchObject([{ band: 'all', energy: '14' }])
  expect(codes(work.findings)).toContain('generation')
  expect(codes(work.gaps)).toEqual(['few_readings'])
  const gap = energyops.work({ ...without(net(), 12), tariff: paid, bill }).result
  // The missing noon may have fed in 2 kWh, or drawn nothing: no noon of the week drew any.
  expect(gap.range).toMatchObject({
    lowest_minor: bill.total_minor,
    highest_minor: bill.total_minor + 8,
  })
})

verifies('energyops.net', 'without a rate for it, generation bounds the bill', () => {
  const { result, gaps } = energyops.work(net())
  // Seven noons of −2 kWh, taken off at ten cents or not.
  expect(result.range).toMatchObject({
    intervals: 7,
    lowest_minor: 2_230 - 140 - 140,
    estimated_minor: 2_230 - 140,
    highest_minor: 2_230 - 140,
  })
  expect(result.verdict).toBe('overbilled')
  expect(codes(gaps)).toContain('negative')
})

verifies(
  'energyops.rows',
  'units in any case and of a row, ends of intervals, other lengths',
  () => {
    const { readings, meter, ...rest } = week()
    const { result } = energyops.work(week())
    const same = (input: EnergyopsInput) =>
      expect(energyops.work(input).result).toMatchObject({
        recomputed_exact_minor: result.recomputed_exact_minor,
        verdict: 'agrees',
      })
    for (const unit of ['KWH', 'kwh', 'Kwh']) same({ ...rest, readings, meter: { ...meter, unit } })
    same({
      ...rest,
      meter,
      readings: readings.map((one) => ({ ...one, value: Number(one.value) * 1_000, unit: 'wh' })),
    })
    const ended = readings.map((one, index) => ({ ...one, at: hour(index + 1) }))
    same({ ...rest, meter: { ...meter, interval_time: 'end' }, readings: ended })
    same({
      ...rest,
      meter,
      readings: ended.map((one) => ({ ...one, interval_time: 'end' as const })),
    })
    const others = readings.map((one, index) => {
      if (index === 3) return { ...one, unit: 'm3' }
      return index === 4 ? { ...one, interval_minutes: 30 } : one
    })
    const { gaps } = energyops.work({ ...rest, meter, readings: others })
    expect(gaps.find(({ code }) => code === 'unlike_meter')?.detail).toMatch(/: 2$/)
  },
)

verifies('energyops.rows', 'ends by the clock on the wall, over both changes of the clock', () => {
  const zone = {
    id: 'm',
    unit: 'kWh',
    interval_minutes: 60,
    time_zone: 'America/New_York',
  } as const
  for (const [from, to, first, hours] of [
    ['2025-11-01', '2025-11-03', Date.UTC(2025, 10, 1, 4), 73],
    ['2025-03-08', '2025-03-10', Date.UTC(2025, 2, 8, 5), 71],
  ] as const) {
    const change = from < '2025-06' ? Date.UTC(2025, 2, 9, 7) : Date.UTC(2025, 10, 2, 6)
    const [before, after] = from < '2025-06' ? [5, 4] : [4, 5]
    const readings = Array.from({ length: hours }, (_, index) => {
      const end = first + (index + 1) * 3_600_000
      const local = end - (end < change ? before : after) * 3_600_000
      return { at: new Date(local).toISOString().slice(0, 16), value: 1 }
    })
    const { result, gaps } = energyops.work({
      meter: { ...zone, interval_time: 'end' },
      tariff: { currency: 'USD', bands: [{ name: 'all', rate_minor: 1 }] },
      bill: { from, to, total_minor: hours },
      readings,
    })
    expect([result.verdict, result.intervals.counted]).toEqual(['agrees', hours])
    expect(codes(gaps)).toEqual(['few_readings'])
  }
})
