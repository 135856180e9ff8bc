import { expect } from 'vitest'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import type { DistributionInput } from '#domain/rails/distributionops/schema.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import { verifies } from '../../../../verifies.ts'

type Shared = Partial<DistributionInput['recipients'][number]>
const pool = (amount_minor: number) => ({ amount_minor, currency: 'EUR' })
const recipientsOf = (rows: Shared[]) =>
  rows.map((row, at) => ({ id: `r${at}`, destination_reference: `d${at}`, ...row }))
const workOf = (amount_minor: number, rows: Shared[]) =>
  distributionops.work({ pool: pool(amount_minor), recipients: recipientsOf(rows) })
const amountsOf = (amount_minor: number, rows: Shared[]) =>
  workOf(amount_minor, rows).result.allocations.map((one) => one.amount_minor)
const codesOf = (notes: readonly { code: string }[]) => notes.map(({ code }) => code)
const faultsOf = (row: object) => {
  const read = readInput(distributionops, {
    pool: pool(1),
    recipients: [{ id: 'a', ...row }],
  })
  return 'faults' in read ? read.faults.map(({ pointer, message }) => `${pointer}: ${message}`) : []
}

verifies('distributionops.shares', 'weights are balances of tokens, to their last place', () => {
  const balances = [
    '1000000.000000000000000001',
    '999999.999999999999999999',
    '0.000000000000000001',
  ]
  for (const weight of balances) expect(faultsOf({ weight })).toEqual([])
  expect(
    amountsOf(
      2_000_001,
      balances.map((weight) => ({ weight })),
    ),
  ).toEqual([1_000_001, 1_000_000, 0])
  // Whole numbers of the smallest unit, as a chain holds them; as floats the two are equal.
  const whole = ['100000000000000000001', '100000000000000000000']
  expect(
    amountsOf(
      1,
      whole.map((weight) => ({ weight })),
    ),
  ).toEqual([1, 0])
  expect(
    amountsOf(
      1,
      whole.toReversed().map((weight) => ({ weight })),
    ),
  ).toEqual([0, 1])
  for (const weight of [1_500_000_000, '1500000000', '33.333333333', 33.333333333, '1e-18', 1e-7])
    expect(faultsOf({ weight }), String(weight)).toEqual([])
  expect(amountsOf(4, [{ weight: 1_500_000_000 }, { weight: '4500000000' }])).toEqual([1, 3])
  expect(amountsOf(11, [{ weight: 1e-7 }, { weight: '0.000001' }])).toEqual([1, 10])
})

verifies('distributionops.refusals', 'a weight that would lose digits is a fault', () => {
  const places = '/recipients/0/weight: is not a decimal of at most 40 digits before the point'
  for (const weight of [
    '0.0000000000000000001',
    '1e-19',
    '1'.repeat(41),
    '1,5',
    '',
    'half',
    '5 %%',
  ])
    expect(faultsOf({ weight })[0], weight).toContain(places)
  for (const weight of [Number('9007199254740993'), 123_456_789.12345679, 0.1 + 0.2])
    expect(faultsOf({ weight }), String(weight)).toEqual([
      '/recipients/0/weight: has more digits than a JSON number keeps: send it as text',
    ])
})

verifies('distributionops.percentages', 'percentages of one whole divide the pool', () => {
  const thirds = ['33.3 %', '33.3 %', '33.4%']
  expect(
    amountsOf(
      1_000,
      thirds.map((weight) => ({ weight })),
    ),
  ).toEqual([333, 333, 334])
  const commas = ['33,3 %', '33,35\u00a0%', '33,3500%']
  expect(
    amountsOf(
      2_000,
      commas.map((weight) => ({ weight })),
    ),
  ).toEqual([666, 667, 667])
  expect(faultsOf({ weight: '1,500 %' })).toHaveLength(1)
  const fields = [{ share_percent: 12.5 }, { share_percent: '37.5' }, { share_percent: '50 %' }]
  const { result, findings } = workOf(800, fields)
  expect(result.allocations.map((one) => one.amount_minor)).toEqual([100, 300, 400])
  expect(result.allocations.map(({ basis }) => basis)).toEqual(['weight', 'weight', 'weight'])
  expect(findings).toEqual([])
  // A fixed amount comes first, and limits hold.
  expect(
    amountsOf(1_000, [
      { amount_minor: 200 },
      { share_percent: 50, cap_minor: 100 },
      { share_percent: 50 },
    ]),
  ).toEqual([200, 100, 700])
})

verifies('distributionops.percentages', 'a sum that rounding explains is told', () => {
  const rounded: [(number | string)[], number[]][] = [
    [Array(3).fill('33.333333333 %'), [333, 333, 333]],
    [Array(3).fill('33.33'), [333, 333, 333]],
    // 999 × 167 / 1001 is 166.67, and 999 × 667 / 1001 is 665.67.
    [
      [16.7, 16.7, 66.7],
      [167, 166, 666],
    ],
    [
      [33, 33, 33],
      [333, 333, 333],
    ],
  ]
  for (const [percents, amounts] of rounded) {
    const { result, findings } = workOf(
      999,
      percents.map((share_percent) => ({ share_percent })),
    )
    expect(result.allocations.map((one) => one.amount_minor)).toEqual(amounts)
    expect(codesOf(findings), String(percents)).toEqual(['percentages_rounded'])
    expect(result.batch.ready_for_review).toBe(true)
  }
})

verifies('distributionops.percentages', 'percentages of no whole allocate nothing', () => {
  const off: Shared[][] = [
    [{ share_percent: 50 }, { share_percent: '40.0' }],
    [{ share_percent: '33.33' }, { share_percent: '33.33' }, { share_percent: '33.32' }],
    [{ share_percent: 100 }, { share_percent: 10 }],
    [{ weight: '60 %' }, { weight: '40' }],
    // A thousand shares of one place could be off by half, and a whole is not off by half.
    Array.from({ length: 1_000 }, () => ({ share_percent: '0.0700' })),
    Array.from({ length: 1_000 }, () => ({ share_percent: 0.1 })).slice(0, 980),
  ]
  for (const rows of off) {
    const work = workOf(1_000, rows)
    expect(work.result.allocations).toEqual([])
    expect(work.result.remainder_minor).toBe(1_000)
    expect(work.result.batch.blockers).toEqual(['percentages_off', 'no_payments'])
    expect(work.gaps).toMatchObject([{ code: 'percentages_off', kind: 'needed' }])
  }
})

verifies('distributionops.carried', 'a balance below zero is carried and takes nothing', () => {
  const rows: Shared[] = [
    { amount_minor: -45_000 },
    { amount_minor: 700 },
    { amount_minor: -1, floor_minor: 50 },
    { weight: 1 },
  ]
  const { result, findings, gaps } = workOf(1_000, rows)
  expect(result.carried).toEqual([
    {
      recipient_id: 'r0',
      balance_minor: -45_000,
      citations: [{ pointer: '/recipients/0/amount_minor' }],
    },
    {
      recipient_id: 'r2',
      balance_minor: -1,
      citations: [{ pointer: '/recipients/2/amount_minor' }],
    },
  ])
  // As without the two rows: 700 fixed, and the rest by weight.
  const others = rows.filter((_, at) => at % 2 === 1)
  expect(result.allocations.map((one) => one.amount_minor)).toEqual([700, 300])
  expect(amountsOf(1_000, others)).toEqual([700, 300])
  expect(codesOf(findings)).toEqual(['balances_carried'])
  expect(findings[0]?.detail).toMatch(/: 2$/)
  expect(gaps).toEqual([])
  expect(result.total_check).toMatchObject({ allocated_minor: 1_000, balances: true })
})

verifies('distributionops.carried', 'balances are carried where nothing is paid', () => {
  const { result } = workOf(10, [{ amount_minor: -5 }, { amount_minor: 11 }])
  expect(result.allocations).toEqual([])
  expect(result.carried.map(({ balance_minor }) => balance_minor)).toEqual([-5])
  const twice = [
    { id: 'a', amount_minor: -5, destination_reference: 'd' },
    { id: 'a', amount_minor: -6, destination_reference: 'd' },
    { id: 'b', amount_minor: -7, destination_reference: 'd' },
    { id: 'b', amount_minor: -7, destination_reference: 'd' },
  ]
  const disputed = workOf(10, twice).result
  expect(disputed.refused.map(({ recipient_id }) => recipient_id)).toEqual(['a'])
  expect(disputed.carried.map(({ balance_minor }) => balance_minor)).toEqual([-7])
})

verifies('distributionops.refusals', 'a total at the end of a table is not paid', () => {
  const totals = ['Total', 'Grand Total:', 'Summe', 'SUBTOTAL', 'Totals']
  const people = ['Total Energies SE', 'Summer Lee', 'Sumit', 'Sum Wong']
  const rows = [...totals, ...people].map((id) => ({ id, amount_minor: 5 }))
  const { result } = workOf(1_000, rows)
  expect(new Set(result.refused.map(({ recipient_id }) => recipient_id))).toEqual(new Set(totals))
  expect(result.allocations).toHaveLength(people.length)
})
