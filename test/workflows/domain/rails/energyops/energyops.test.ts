import fc from 'fast-check'
import { expect } from 'vitest'
import { energyops } from '#domain/rails/energyops/index.ts'
import type { EnergyopsInput } from '#domain/rails/energyops/schema.ts'
import { zoneOf } from '#domain/rails/energyops/zone.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { dice, shuffled } from '../dice.ts'
import { byFold } from '../fold.ts'
import { meterYear } from './readings.ts'

const codes = (notified: { code: string }[]) => notified.map(({ code }) => code)
const HOUR = 3_600_000
/** Great Britain's summer time in 2025: from 30 March to 26 October, both at 01:00 UTC. */
const isSummer = (at: number) => Date.UTC(2025, 2, 30, 1) <= at && at < Date.UTC(2025, 9, 26, 1)
/** A decimal text as a whole number of 10⁻¹² units. */
function exact(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 10n ** 12n + BigInt(fraction.padEnd(12, '0'))
}
const micro = (value: number | string) => BigInt(Math.round(Number(value) * 1e6))

verifies(
  ['energyops.bill', 'energyops.clock-changes'],
  'two days around a clock change, worked out by hand',
  () => {
    const { result, findings, gaps } = energyops.work(energyops.sandboxInput)
    // Slots of a day: 14 of 0.12, 20 of 0.25, 14 of 0.55 kWh. Night is 00:30 to 04:30: 8 slots on Saturday, and 6 on Sunday, which
    // lacks 01:00 and 01:30: 14 × 0.12 = 1.68 kWh. Day: 6 + 6 slots of 0.12, 40 of 0.25, 28 of 0.55 = 26.84 kWh.
    expect(result.energy_by_band).toEqual([
      { band: 'night', intervals: 14, energy: '1.68' },
      { band: 'day', intervals: 80, energy: '26.84' },
    ])
    // 1.68 × 9.5 + 26.84 × 28.34 + 2 × 53.37 = 15.96 + 760.6456 + 106.74
    expect(result.line_items.map(({ amount_minor }) => amount_minor)).toEqual([
      '15.96',
      '760.6456',
      '106.74',
    ])
    expect(result.recomputed_exact_minor).toBe('883.3456')
    expect(result).toMatchObject({
      recomputed_minor: 883,
      billed_minor: 1_085,
      difference_minor: 202,
      verdict: 'overbilled',
    })
    expect(result.intervals).toEqual({ expected: 94, counted: 94 })
    expect(result.clock_changes).toEqual([{ day: '2026-03-29', intervals: 46, counted: 46 }])
    expect(codes(findings)).toEqual(['clock_changes', 'lines_differ'])
    // 26.84 kWh at 35.84 instead of 28.34 are 962 instead of 760.6456.
    expect(
      result.bill_lines.map(({ reason, difference_minor }) => [reason, difference_minor]),
    ).toEqual([
      ['agrees', 0],
      ['rate_differs', 201],
      ['agrees', 0],
    ])
    expect(codes(gaps)).toEqual(['few_readings'])
  },
)

verifies(
  ['energyops.bill', 'energyops.clock-changes', 'rails.fold'],
  'a year of quarter hours costs what a plain sum says',
  () => {
    const input = meterYear()
    expect(input.readings.length).toBe(365 * 96)
    const work = energyops.work(input)
    const { result } = work
    const [night, weekend, day] = input.tariff.bands.map(({ rate_minor }) => micro(rate_minor ?? 0))
    let expected = micro(input.tariff.standing_per_day ?? 0) * 365n * 1_000_000n
    for (const { at, value } of input.readings) {
      const local = new Date(Date.parse(at) + (isSummer(Date.parse(at)) ? HOUR : 0))
      const isNight = local.getUTCHours() >= 23 || local.getUTCHours() < 6
      const isWeekend = local.getUTCDay() % 6 === 0
      let rate = day
      if (isNight) rate = night
      else if (isWeekend) rate = weekend
      expected += micro(value) * (rate ?? 0n)
    }
    expect(exact(result.recomputed_exact_minor)).toBe(expected)
    expect(result.line_items.reduce((sum, { amount_minor }) => sum + exact(amount_minor), 0n)).toBe(
      expected,
    )
    expect(result.recomputed_minor).toBe(Math.round(Number(expected) / 1e12))
    expect(result.clock_changes).toEqual([
      { day: '2025-03-30', intervals: 92, counted: 92 },
      { day: '2025-10-26', intervals: 100, counted: 100 },
    ])
    expect(result.gaps).toEqual([])
    expect(work.gaps).toEqual([])
    expect(
      energyops.work({ ...input, bill: { ...input.bill, total_minor: result.recomputed_minor } })
        .result.verdict,
    ).toBe('agrees')
    expect(JSON.stringify(byFold(energyops, input))).toBe(JSON.stringify(work))
    expect(energyops.result.parse(result)).toEqual(result)
  },
)

verifies(
  'energyops.clock-changes',
  'local-time readings give the same bill, with the repeated hour',
  () => {
    const input = meterYear()
    const readings = input.readings.map(({ at, value }) => {
      const local = Date.parse(at) + (isSummer(Date.parse(at)) ? HOUR : 0)
      return { at: new Date(local).toISOString().slice(0, 16), value }
    })
    expect(energyops.work({ ...input, readings }).result).toEqual(energyops.work(input).result)
  },
)

verifies(
  'energyops.clock-changes',
  'a skipped local time, or a repeated one read once, is a gap',
  () => {
    const bill = { from: '2025-03-30', to: '2025-10-26', total_minor: 0 }
    const readings = ['2025-03-30T01:15', '2025-10-26T01:15'].map((at) => ({ at, value: 1 }))
    const { result, gaps } = energyops.work({ ...meterYear(), bill, readings })
    expect(codes(gaps)).toEqual(['few_readings', 'missing', 'no_such_time', 'uncertain_time'])
    expect(result.gaps[0]).toEqual({
      from: '2025-03-30T00:00:00Z',
      to: '2025-10-26T00:15:00Z',
      intervals: 20_161,
    })
    expect(result.verdict).toBe('undetermined')
  },
)

verifies(
  'energyops.clock-changes',
  'zones: half-hour changes, days without a midnight, and none at all',
  () => {
    const utc = (text: string) => Date.parse(`${text}Z`)
    const known: [zone: string, local: string, instants: string[]][] = [
      ['Australia/Lord_Howe', '2025-04-06T01:45', ['2025-04-05T14:45', '2025-04-05T15:15']],
      ['Australia/Lord_Howe', '2025-10-05T02:15', []],
      ['Africa/Cairo', '2025-04-25T00:30', []],
      ['Africa/Cairo', '2025-04-25T01:00', ['2025-04-24T22:00']],
      ['Asia/Kolkata', '2025-07-01T00:00', ['2025-06-30T18:30']],
      ['America/New_York', '2025-11-02T01:30', ['2025-11-02T05:30', '2025-11-02T06:30']],
      ['UTC', '2025-01-01T00:00', ['2025-01-01T00:00']],
    ]
    for (const [name, local, instants] of known) {
      const zone = zoneOf(name)
      expect(zone.toInstants(utc(local)), `${name} ${local}`).toEqual(instants.map(utc))
      for (const instant of instants) expect(zone.toLocal(utc(instant))).toBe(utc(local))
    }
    const cairo = meterYear().meter
    const { result } = energyops.work({
      ...meterYear(),
      meter: { ...cairo, time_zone: 'Africa/Cairo' },
      bill: { from: '2025-04-25', to: '2025-04-25', total_minor: 0 },
      readings: [],
    })
    expect(result.intervals.expected).toBe(92)
  },
)

verifies('energyops.readings', 'every fault that is put into a year is found, and no other', () => {
  const input = meterYear()
  const at = (index: number) => input.readings[index]?.at ?? ''
  const readings = input.readings.flatMap((reading, index) => {
    if (index >= 1_000 && index < 1_008) return []
    if (index === 5_000) return [reading, { ...reading }]
    if (index === 6_000) return [reading, { ...reading, value: 9.75 }]
    if (index === 7_000) return [{ ...reading, value: -0.5 }]
    if (index === 8_000) return [{ ...reading, value: '40.25' }]
    return [reading]
  })
  readings.push({ at: '2025-06-01T00:07:00Z', value: 1 }, { at: '2024-12-31T23:45:00Z', value: 1 })
  const work = energyops.work({ ...input, readings })
  const { result, findings, gaps } = work
  expect(result.gaps).toEqual([
    { from: at(1_000), to: at(1_008), intervals: 8 },
    { from: at(6_000), to: at(6_001), intervals: 1 },
    { from: at(7_000), to: at(7_001), intervals: 1 },
  ])
  expect(result.duplicates.map(({ at: when, same }) => [when, same])).toEqual([
    [at(5_000), true],
    [at(6_000), false],
  ])
  expect(result.outliers.map(({ at: when, kind, value }) => [when, kind, value])).toEqual([
    [at(8_000), 'spike', '40.25'],
    [at(7_000), 'negative', '-0.5'],
  ])
  // A year costs more than the bill says, whatever the ten intervals were.
  expect(result.range).toMatchObject({ intervals: 10 })
  expect(result.range?.lowest_minor).toBeGreaterThan(500_000)
  expect(result.verdict).toBe('underbilled')
  expect(codes(findings)).toEqual(['clock_changes', 'outside_period', 'repeated', 'spikes'])
  expect(codes(gaps)).toEqual(['conflicting', 'missing', 'negative', 'off_grid'])
  expect(gaps.find(({ code }) => code === 'missing')?.detail).toMatch(/: 10$/)
  expect(expectCited({ ...input, readings }, work)).toBeGreaterThan(10)
})

verifies(
  'energyops.bill',
  'a time without a band, or a band changing mid-interval, is a gap',
  () => {
    const input = meterYear()
    const bill = { from: '2025-01-01', to: '2025-01-01', total_minor: 0 }
    const bands = [{ name: 'most', rate_minor: 1, from: '01:00', to: '23:50' }]
    const { result, gaps } = energyops.work({
      ...input,
      bill,
      tariff: { currency: 'GBP', bands },
      readings: input.readings.slice(0, 96),
    })
    expect(codes(gaps)).toEqual(['few_readings', 'no_band', 'split_band'])
    expect(result.energy_by_band).toMatchObject([{ intervals: 92 }])
    expect(result.verdict).toBe('undetermined')
  },
)

verifies(
  ['energyops.bill', 'rails.order'],
  'a bill adds up over any cut of days, in any order of readings',
  () => {
    const input = meterYear(40)
    const day = (number: number) =>
      new Date(Date.UTC(2025, 2, 1 + number)).toISOString().slice(0, 10)
    const costOf = (from: number, to: number, readings: EnergyopsInput['readings']) =>
      exact(
        energyops.work({
          ...input,
          bill: { from: day(from), to: day(to), total_minor: 0 },
          readings,
        }).result.recomputed_exact_minor,
      )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 39 }), fc.nat(), (cut, seed) => {
        const readings = shuffled(input.readings, dice(seed))
        expect(costOf(0, cut - 1, readings) + costOf(cut, 39, readings)).toBe(
          costOf(0, 39, input.readings),
        )
      }),
      { numRuns: 15 },
    )
  },
)

/** A tariff with everything, in pence for a kWh. */
const rich = (readings: EnergyopsInput['readings']): EnergyopsInput => ({
  meter: { id: 'm', unit: 'kWh', interval_minutes: 15, time_zone: 'Europe/London' },
  tariff: {
    currency: 'GBP',
    standing_per_day: '61.3',
    seasons: [
      { name: 'spring', from: '03-01', to: '03-20' },
      { name: 'rest', from: '03-21', to: '02-29' },
    ],
    holidays: ['2025-03-05'],
    bands: [
      { name: 'holiday', rate_minor: '7.25', days: ['holiday'] },
      { name: 'spring', rate_minor: '18.5', seasons: ['spring'], from: '06:00', to: '22:00' },
      {
        name: 'other',
        blocks: [
          { from: 0, to: '20', rate_minor: '11' },
          { from: '20', rate_minor: '13.125' },
        ],
      },
    ],
    demand: [{ name: 'peak', rate_minor: '250', window_minutes: 30, minimum: '2' }],
    feed_in: { bands: [{ name: 'all', rate_minor: '5.5' }] },
    taxes: [
      { name: 'levy', rate_minor: '0.775' },
      { name: 'vat', percent: '20', on: ['energy', 'demand', 'standing', 'tax'] },
    ],
  },
  bill: { from: '2025-03-01', to: '2025-03-31', total_minor: 9_000 },
  readings,
  exports: readings.map(({ at, value }) => ({ at, value: Math.round(Number(value) * 250) / 1e3 })),
})
/** The last hour is of the next month. */
const month = () => rich(meterYear(31).readings.slice(0, -4))

verifies('energyops.units', 'energy, rates and currency in other units give the same bill', () => {
  const input = month()
  const { result } = energyops.work(input)
  const inUnit = (meterUnit: 'Wh' | 'MWh', factor: number) => {
    const scaled = (rows: EnergyopsInput['readings'] = []) =>
      rows.map(({ at, value }) => ({ at, value: (Number(value) * factor).toFixed(6) }))
    return {
      ...input,
      meter: { ...input.meter, unit: meterUnit },
      tariff: { ...input.tariff, rate_unit: 'kWh' as const },
      readings: scaled(input.readings),
      exports: scaled(input.exports),
    }
  }
  for (const other of [inUnit('MWh', 0.001), inUnit('Wh', 1_000)])
    expect(energyops.work(energyops.input.parse(other)).result).toEqual(result)
  const euros = { ...input, tariff: { ...input.tariff, currency: 'EUR' } }
  expect(energyops.work(euros).result).toEqual({ ...result, currency: 'EUR' })
})

verifies(
  ['energyops.charges', 'rails.order', 'rails.fold'],
  'neither the order of rows nor the way they are read changes a bill',
  () => {
    const input = month()
    const expected = energyops.work(input)
    expect(JSON.stringify(byFold(energyops, input))).toBe(JSON.stringify(expected))
    const bare = (value: unknown) =>
      JSON.stringify(value).replaceAll(/\/(readings|exports)\/\d+/g, '$1')
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const mixed = {
          ...input,
          readings: shuffled(input.readings, dice(one)),
          exports: shuffled(input.exports ?? [], dice(other)),
        }
        expect(bare(energyops.work(mixed))).toBe(bare(expected))
      }),
      { numRuns: 8 },
    )
  },
)

verifies('energyops.charges', 'a wrong demand, tax or block is seen by its check', () => {
  const input = energyops.input.parse(month())
  const { readings, exports = [], ...head } = input
  const auditOf = (change: (work: ReturnType<typeof energyops.work>) => void) => {
    const work = structuredClone(energyops.work(input))
    change(work)
    const auditing = energyops.audit.open(head)
    for (const [index, row] of readings.entries()) auditing.take('readings', row, index)
    for (const [index, row] of exports.entries()) auditing.take('exports', row, index)
    const outcome = auditing.close(work)
    expect(Object.keys(outcome)).toEqual(energyops.audit.plan(head).map(({ check }) => check))
    return Object.keys(outcome).filter((check) => outcome[check] !== null)
  }
  expect(auditOf(() => undefined)).toEqual([])
  expect(
    auditOf(({ result }) => {
      result.demand[0]!.billed = '99'
    }),
  ).toEqual(['demand_reached'])
  expect(
    auditOf(({ result }) => {
      result.demand[0]!.peak = '99'
    }),
  ).toEqual(['demand_reached'])
  const vat = (work: ReturnType<typeof energyops.work>) => work.result.line_items.at(-1)!
  expect(
    auditOf((work) => {
      vat(work).quantity = '1'
    }),
  ).toContain('taxes_follow')
  const block = (work: ReturnType<typeof energyops.work>) =>
    work.result.line_items.find(({ block: number }) => number === 1)!
  expect(
    auditOf((work) => {
      block(work).quantity = '19'
    }),
  ).toContain('blocks_fill')
  expect(
    auditOf(({ result }) => {
      result.feed_in_by_band[0]!.energy = '1'
    }),
  ).toEqual(['energy_conserved'])
})

verifies('energyops.faults', 'a tariff that contradicts itself is refused, with its place', () => {
  const { tariff, ...rest } = month()
  const faultsOf = (change: object, more: object = {}) => {
    const read = readInput(energyops, { ...rest, ...more, tariff: { ...tariff, ...change } })
    return 'faults' in read ? read.faults.map(({ kind, pointer }) => `${kind} ${pointer}`) : []
  }
  const band = (more: object) => ({ bands: [{ name: 'one', ...more }] })
  const blocks = (...bounds: [number, number?][]) =>
    band({
      blocks: bounds.map(([from, to]) => ({
        from,
        rate_minor: 1,
        ...(to === undefined ? {} : { to }),
      })),
    })
  const season = (name: string, from: string, to: string) => ({ name, from, to })
  expect(faultsOf({})).toEqual([])
  const refused: [change: object, faults: string[], more?: object][] = [
    [
      { seasons: [season('spring', '12-01', '03-20'), season('rest', '03-20', '11-30')] },
      ['inconsistent /tariff/seasons/1'],
    ],
    [{ seasons: undefined }, ['inconsistent /tariff/bands/1/seasons/0']],
    [{ holidays: undefined }, ['inconsistent /tariff/bands/0/days']],
    [blocks([0, 10], [12]), ['inconsistent /tariff/bands/0/blocks/1/from']],
    [blocks([0, 10], [8]), ['inconsistent /tariff/bands/0/blocks/1/from']],
    [blocks([1, 10], [10]), ['inconsistent /tariff/bands/0/blocks/0/from']],
    [blocks([0, 10], [10, 20]), ['inconsistent /tariff/bands/0/blocks/1/to']],
    [blocks([0], [10]), ['inconsistent /tariff/bands/0/blocks/0/to']],
    [band({}), ['inconsistent /tariff/bands/0']],
    [band({ rate_minor: 1, blocks_per: 'day' }), ['inconsistent /tariff/bands/0/blocks_per']],
    [
      { rate_unit: 'kWh' },
      ['inconsistent /tariff/rate_unit'],
      { meter: { ...rest.meter, unit: 'm3' } },
    ],
    [
      { demand: [{ name: 'x', rate_minor: 1, window_minutes: 20 }] },
      ['inconsistent /tariff/demand/0/window_minutes'],
    ],
    [{ taxes: [{ name: 'x', percent: 1, rate_minor: 1 }] }, ['inconsistent /tariff/taxes/0']],
    [
      {
        taxes: [
          { name: 'x', percent: 1 },
          { name: 'x', percent: 2 },
        ],
      },
      ['inconsistent /tariff/taxes/1/name'],
    ],
  ]
  for (const [change, faults, more] of refused)
    expect(faultsOf(change, more), JSON.stringify(change)).toEqual(expect.arrayContaining(faults))
})

verifies(
  'energyops.charges',
  'feed-in without readings or without a rate leaves a bill open',
  () => {
    const { exports = [], ...input } = month()
    const { feed_in: _rates, ...unpriced } = input.tariff
    const without = energyops.work(input)
    expect(codes(without.gaps)).toEqual(['exports_missing'])
    expect(without.result.verdict).toBe('undetermined')
    const unrated = energyops.work({ ...input, tariff: unpriced, exports: exports.slice(0, 3) })
    expect(codes(unrated.gaps)).toEqual(['exports_not_priced'])
    expect(unrated.result.verdict).toBe('undetermined')
    const negative = energyops.work({
      ...input,
      exports: [
        { at: exports[0]!.at, value: -1 },
        ...exports.slice(1),
        { at: '2025-03-02T00:01:00Z', value: 1 },
      ],
    })
    expect(codes(negative.gaps)).toEqual(['exports_missing', 'exports_unplaced'])
  },
)

verifies('energyops.lines', 'lines of a bill, worked out by hand', () => {
  // One day of hours: 1 kWh in each, 8 at night at 10 and 16 by day at 20; two windows of 2 kWh reach 2 kW.
  const hour = (at: number) => `2026-05-04T${String(at).padStart(2, '0')}:00`
  const readings = Array.from({ length: 24 }, (_, at) => ({
    at: hour(at),
    value: at === 12 ? 2 : 1,
  }))
  const lines = [
    { kind: 'energy', name: 'night', quantity: 8, rate: 10, amount_minor: 80 },
    { kind: 'energy', name: 'day', quantity: 19, rate: 20, amount_minor: 380 },
    { kind: 'demand', quantity: 2, rate: 50, amount_minor: 150 },
    { kind: 'tax', rate: 20, amount_minor: 122 },
    { kind: 'tax', rate: 20, amount_minor: 122 },
    { kind: 'standing', amount_minor: 30 },
  ] as const
  const { result, findings } = energyops.work(
    energyops.input.parse({
      meter: { id: 'm', unit: 'kWh', interval_minutes: 60, time_zone: 'UTC' },
      tariff: {
        currency: 'EUR',
        bands: [
          { name: 'night', rate_minor: 10, to: '08:00' },
          { name: 'day', rate_minor: 20 },
        ],
        demand: [{ name: 'peak', rate_minor: 50 }],
        taxes: [{ name: 'vat', percent: 20 }],
      },
      bill: { from: '2026-05-04', to: '2026-05-04', total_minor: 900, lines },
      readings,
    }),
  )
  // 80 + 17 × 20 + 2 × 50 = 520, and a fifth of it: 104.
  expect(result.recomputed_exact_minor).toBe('624')
  expect(
    result.bill_lines.map(({ reason, recomputed_minor, difference_minor }) => [
      reason,
      recomputed_minor,
      difference_minor,
    ]),
  ).toEqual([
    ['agrees', 80, 0],
    ['quantity_differs', 340, 40],
    ['wrong_product', 100, 50],
    ['amount_differs', 104, 18],
    ['billed_twice', 0, 122],
    ['not_in_tariff', 0, 30],
  ])
  expect(result.bill_lines[1]?.detail).toBe('the quantity is billed as 19 kWh and recomputed as 17')
  expect(codes(findings)).toContain('lines_do_not_sum')
})
