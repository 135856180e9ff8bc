import { expect } from 'vitest'
import { energyops } from '#domain/rails/energyops/index.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { textFile } from './files.ts'

const hours = (period: number) => Array.from({ length: 24 }, () => period)
const months = (of: (month: number) => number[]) =>
  Array.from({ length: 12 }, (_, month) => of(month))
const every = months(() => hours(0))

type Days = { from: string; to: string; start: number; days: number }
const june: Days = { from: '2025-06-01', to: '2025-06-30', start: Date.UTC(2025, 5, 1), days: 30 }

/** The work on a rate with one kilowatt in every hour of a bill. */
function billed(urdb: Record<string, unknown>, { from, to, start, days }: Days = june) {
  const input = {
    meter: { id: 'm', unit: 'kWh', interval_minutes: 60, time_zone: 'UTC' },
    urdb,
    bill: { from, to, total_minor: 0 },
    readings: Array.from({ length: days * 24 }, (_, index) => {
      const at = `${new Date(start + index * 3_600_000).toISOString().slice(0, 19)}Z`
      return { at, value: 1 }
    }),
  }
  // A year of hours is more than an input may hold by itself.
  const read = energyops.input.safeParse({ ...input, readings: [] })
  const faults = read.error?.issues.map(({ path }) => path.join('/')) ?? []
  if (read.data === undefined) return { faults }
  return { faults, input, work: energyops.work({ ...read.data, readings: input.readings }) }
}
const amountOf = (...given: Parameters<typeof billed>) =>
  billed(...given).work?.result.recomputed_exact_minor

const pge = () =>
  (JSON.parse(textFile('urdb-pge-bev-2-s.json')) as { items: [Record<string, unknown>] }).items[0]

verifies('energyops.urdb', 'a rate for charging vehicles, worked out by hand', () => {
  // Its price of reactive power is on what no reading says.
  expect(billed({ items: [pge()] }).faults).toEqual(['urdb/demandreactivepowercharge'])
  const { work, input } = billed({ items: [{ ...pge(), demandreactivepowercharge: 0 }] })
  // 14 hours a day at 18.081, 5 at 15.754 and 5 at 39.404; 1 kW at 191; 44744 for the month.
  expect(work?.result.recomputed_exact_minor).toBe('60802.72')
  expect(work?.result.energy_by_band.map(({ band, energy }) => [band, energy])).toEqual([
    // From 14:00 to 16:00, and from 21:00 to 9:00.
    ['Off-Peak', '60'],
    ['Off-Peak', '360'],
    ['Super Off-Peak', '150'],
    ['Peak', '150'],
  ])
  expect(expectCited(input, work)).toBeGreaterThan(3)
})

verifies('energyops.urdb', 'tiers, days of the week, months and charges by the day', () => {
  const tiers = [[{ rate: 0.1, adj: 0.01, max: 100 }, { rate: 0.2 }]]
  const flat = {
    energyratestructure: tiers,
    energyweekdayschedule: every,
    energyweekendschedule: every,
  }
  // 720 kWh: 100 at 11 and 620 at 20; ten dollars a month or half a dollar a day.
  expect(amountOf({ ...flat, fixedchargefirstmeter: 10, fixedchargeunits: '$/month' })).toBe(
    '14500',
  )
  expect(amountOf({ ...flat, fixedchargefirstmeter: 0.5, fixedchargeunits: '$/day' })).toBe('15000')
  const daily = [
    [
      { rate: 0.1, max: 10, unit: 'kWh daily' },
      { rate: 0.2, unit: 'kWh daily' },
    ],
  ]
  expect(amountOf({ ...flat, energyratestructure: daily })).toBe(String(30 * (10 * 10 + 14 * 20)))
  const summer = months((month) => hours(month >= 5 && month <= 8 ? 1 : 0))
  const year: Days = {
    from: '2025-01-01',
    to: '2025-12-31',
    start: Date.UTC(2025, 0, 1),
    days: 365,
  }
  const seasonal = {
    energyratestructure: [[{ rate: 0.1 }], [{ rate: 0.3 }]],
    energyweekdayschedule: summer,
    energyweekendschedule: every,
    flatdemandstructure: [[{ rate: 2 }], [{ rate: 5 }]],
    flatdemandmonths: [0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0],
    fixedchargefirstmeter: 10,
    fixedchargeunits: '$/month',
  }
  // 8760 kWh at 10, of them the 87 working days from June to September at 20 more; eight months of 2 and four of 5 dollars.
  const summerDays = Array.from(
    { length: 122 },
    (_, index) => new Date(Date.UTC(2025, 5, 1 + index)),
  )
  const working = summerDays.filter((day) => day.getUTCDay() % 6 !== 0).length
  expect(amountOf(seasonal, year)).toBe(String(87_600 + working * 24 * 20 + 3_600 + 12_000))
})

verifies('energyops.urdb', 'what a tariff cannot express is refused by its member', () => {
  const flat = { energyratestructure: [[{ rate: 0.1 }]] }
  const split = months(() => hours(0).map((_, hour) => (hour % 12 < 6 ? 0 : 1)))
  const tiered = [[{ rate: 0.1, max: 10 }, { rate: 0.2 }], [{ rate: 0.3 }]]
  const long: Days = {
    from: '2025-06-10',
    to: '2025-08-20',
    start: Date.UTC(2025, 5, 10),
    days: 72,
  }
  const refused: [Record<string, unknown>, string, Days?][] = [
    [{ ...flat, mincharge: 5, minchargeunits: '$/month' }, 'mincharge'],
    [{ ...flat, demandratchetpercentage: months(() => [80]).flat() }, 'demandratchetpercentage'],
    [{ ...flat, fueladjustmentsmonthly: [0.01] }, 'fueladjustmentsmonthly'],
    [{ ...flat, flatdemandstructure: [[{ rate: 1 }]], flatdemandunit: 'kVA' }, 'flatdemandunit'],
    [{ ...flat, fixedchargefirstmeter: 5, fixedchargeunits: '$/year' }, 'fixedchargeunits'],
    [
      { ...flat, fixedchargefirstmeter: 5, fixedchargeunits: '$/month' },
      'fixedchargefirstmeter',
      long,
    ],
    [{ energyratestructure: [[{ rate: 0.1, unit: 'kWh/kW' }]] }, 'energyratestructure'],
    [
      { energyratestructure: tiered, energyweekdayschedule: split, energyweekendschedule: split },
      'energyratestructure',
    ],
    [{ items: [flat, flat] }, 'items'],
    [{ label: 'x' }, 'energyratestructure'],
  ]
  for (const [urdb, member, days] of refused)
    expect(billed(urdb, days).faults, member).toContain(`urdb/${member}`)
  expect(billed({ ...flat, fueladjustmentsmonthly: [0], energycomments: 'none' }).faults).toEqual(
    [],
  )
  const { urdb: _, ...rest } = billed(flat).input ?? {}
  expect(energyops.input.safeParse(rest).success).toBe(false)
})
