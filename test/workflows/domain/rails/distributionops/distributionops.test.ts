import fc from 'fast-check'
import { expect } from 'vitest'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import { distributionopsInput } from '#domain/rails/distributionops/sample.ts'
import type { InputOf } from '#domain/rails/rail.ts'
import { verifies } from '../../../../verifies.ts'
import { dice, shuffled } from '../dice.ts'
import { byFold } from '../fold.ts'

type Input = InputOf<typeof distributionops>
type Recipient = Input['recipients'][number]

const amountsOf = (input: Input) =>
  Object.fromEntries(
    distributionops
      .work(input)
      .result.allocations.map(({ recipient_id, amount_minor }) => [recipient_id, amount_minor]),
  )
const pool = (amount_minor: number) => ({ amount_minor, currency: 'USD' })

verifies('distributionops.shares', 'a royalty pool, worked out by hand', () => {
  const { result, findings, gaps } = distributionops.work(distributionopsInput)
  // 1,250,000 − 62,500 fixed = 1,187,500. By weight of 96: bram 371,093 is over his cap of 300,000 and cole 6,184 under his floor
  // of 10,000; the other two share 877,500 by 45 to 20.5: 602,862.595… and 274,637.404…
  expect(
    result.allocations.map(({ recipient_id, amount_minor, basis }) => [
      recipient_id,
      amount_minor,
      basis,
    ]),
  ).toEqual([
    ['agency-fee', 62_500, 'amount'],
    ['artist-anna', 602_863, 'weight'],
    ['artist-bram', 300_000, 'weight'],
    ['estate-cole', 10_000, 'weight'],
    ['label-north', 274_637, 'weight'],
  ])
  expect(result.caps_applied).toEqual([
    { recipient_id: 'artist-bram', kind: 'cap', limit_minor: 300_000 },
    { recipient_id: 'estate-cole', kind: 'floor', limit_minor: 10_000 },
  ])
  expect(result.total_check).toEqual({
    pool_minor: 1_250_000,
    allocated_minor: 1_250_000,
    remainder_minor: 0,
    balances: true,
  })
  expect(result.duplicates).toEqual([
    {
      recipient_id: 'artist-anna',
      same: true,
      citations: [{ pointer: '/recipients/0' }, { pointer: '/recipients/5' }],
    },
  ])
  expect(result.refused).toEqual([
    {
      recipient_id: 'studio-old',
      reason: 'has neither a weight nor an amount',
      citations: [{ pointer: '/recipients/6' }],
    },
  ])
  expect(result.batch).toEqual({ ready_for_review: true, payments: 5, blockers: [] })
  expect(findings.map(({ code }) => code)).toEqual([
    'refused_recipients',
    'repeated_rows',
    'texts_rewritten',
  ])
  expect(gaps).toEqual([])
})

verifies(
  'distributionops.shares',
  'equal remainders go to lower ids, and rounding stays in the pool',
  () => {
    const recipients = ['c', 'a', 'b'].map((id) => ({ id, weight: 1, destination_reference: id }))
    expect(amountsOf({ pool: pool(100), recipients })).toEqual({ a: 34, b: 33, c: 33 })
    const down = distributionops.work({ pool: pool(100), rounding: 'down', recipients })
    expect(down.result.remainder_minor).toBe(1)
    expect(down.gaps.map(({ code }) => code)).toEqual(['not_distributed'])
  },
)

verifies(
  'distributionops.shares',
  'where every cap is reached the rest stays in the pool, reported',
  () => {
    const { result, gaps } = distributionops.work({
      pool: pool(1_000),
      recipients: [
        { id: 'a', weight: 1, cap_minor: 300, destination_reference: 'x' },
        { id: 'b', amount_minor: 900, cap_minor: 400, destination_reference: 'y' },
      ],
    })
    expect(result.allocations.map(({ amount_minor }) => amount_minor)).toEqual([300, 400])
    expect(result.remainder_minor).toBe(300)
    expect(gaps.map(({ code }) => code)).toEqual(['not_distributed'])
  },
)

verifies(
  'distributionops.refusals',
  'a pool below its fixed amounts and floors pays no recipient',
  () => {
    const { result, gaps } = distributionops.work({
      pool: pool(1_000),
      recipients: [
        { id: 'a', amount_minor: 700, destination_reference: 'x' },
        { id: 'b', weight: 1, floor_minor: 301, destination_reference: 'y' },
      ],
    })
    expect(result.allocations).toEqual([])
    expect(result.batch).toEqual({
      ready_for_review: false,
      payments: 0,
      blockers: ['pool_too_small', 'no_payments'],
    })
    expect(gaps.map(({ code }) => code)).toEqual(['pool_too_small'])
  },
)

verifies(
  'distributionops.refusals',
  'differing rows of an id, bad shares and lost destinations are gaps',
  () => {
    const { result, findings, gaps } = distributionops.work({
      pool: pool(1_000),
      recipients: [
        { id: 'twice', weight: 1, destination_reference: 'x' },
        { id: 'twice', weight: 2, destination_reference: 'x' },
        { id: 'both', weight: 1, amount_minor: 5 },
        { id: 'zero', weight: '0.000000' },
        { id: 'narrow', weight: 1, floor_minor: 9, cap_minor: 8 },
        { id: 'fine', weight: 1 },
        { id: 'same-1', weight: 1, destination_reference: 'z' },
        { id: 'same-2', weight: 1, destination_reference: 'z' },
      ],
    })
    expect(result.refused.map(({ recipient_id, reason }) => `${recipient_id}: ${reason}`)).toEqual([
      'both: has more than one of weight, percentage and amount',
      'narrow: its cap is below its floor',
      'twice: rows of this id differ',
      'zero: its weight is not above zero',
    ])
    expect(result.batch.blockers).toEqual(['no_destination', 'conflicting_duplicates'])
    expect(findings.map(({ code }) => code)).toEqual([
      'conflicting_duplicates',
      'refused_recipients',
      'shared_destinations',
    ])
    expect(gaps).toEqual([
      {
        code: 'no_destination',
        kind: 'needed',
        detail: 'payments without a destination: 1',
        pointer: '/recipients/5',
        filled_by:
          'a destination_reference, a wallet, an iban or an account of ACH for each recipient',
        citations: [{ pointer: '/recipients/5' }],
      },
    ])
  },
)

/** The shares by freezing violators round by round (as CSS resolves flexible lengths), with fractions of its own. */
function secondOpinion(amount: number, recipients: Recipient[]): Record<string, bigint> {
  const micro = (weight: number) => BigInt(Math.round(weight * 1e6))
  const all = recipients
    .map(({ id, weight, floor_minor = 0, cap_minor = 1e15 }) => {
      return {
        id,
        weight: micro(Number(weight)),
        minimumBalance: BigInt(floor_minor),
        cap: BigInt(cap_minor),
      }
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  let open = all
  let rest = BigInt(amount)
  const done: Record<string, bigint> = {}
  for (;;) {
    const total = open.reduce((sum, { weight }) => sum + weight, 0n)
    const low = open.filter(({ weight, minimumBalance }) => weight * rest < minimumBalance * total)
    const high = open.filter(({ weight, cap }) => weight * rest > cap * total)
    const raised = low.reduce(
      (sum, { weight, minimumBalance }) => sum + minimumBalance * total - weight * rest,
      0n,
    )
    const cut = high.reduce((sum, { weight, cap }) => sum + weight * rest - cap * total, 0n)
    if (raised === 0n && cut === 0n) {
      const parts = open.map(({ id, weight }) => ({
        id,
        whole: (weight * rest) / total,
        left: (weight * rest) % total,
      }))
      const missing = Number(rest - parts.reduce((sum, { whole }) => sum + whole, 0n))
      const luckyIds = [...parts]
        .sort((a, b) => Number(b.left > a.left) - Number(b.left < a.left))
        .slice(0, missing)
        .map(({ id }) => id)
      for (const { id, whole } of parts) done[id] = whole + (luckyIds.includes(id) ? 1n : 0n)
      return done
    }
    const frozen =
      raised >= cut
        ? low.map((claim) => ({ ...claim, at: claim.minimumBalance }))
        : high.map((claim) => ({ ...claim, at: claim.cap }))
    for (const { id, at } of frozen) {
      done[id] = at
      rest -= at
    }
    open = open.filter(({ id }) => !(id in done))
    if (open.length === 0) return done
  }
}

const recipientsOf = fc
  .array(
    fc.record({
      weight: fc.oneof(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 9_999_999 }).map((n) => n / 1_000_000),
      ),
      minimumBalance: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(400)),
      room: fc.option(fc.nat(2_000)),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((claims) =>
    claims.map(({ weight, minimumBalance, room }, index): Recipient => {
      const cap = room === null ? {} : { cap_minor: minimumBalance + room }
      return {
        id: `r${index}`,
        weight,
        floor_minor: minimumBalance,
        destination_reference: `d${index}`,
        ...cap,
      }
    }),
  )

verifies(
  'distributionops.shares',
  'shares agree with a second method, keep caps and floors, sum exactly',
  () => {
    fc.assert(
      fc.property(recipientsOf, fc.nat(50_000), (recipients, over) => {
        const amount = recipients.reduce((sum, { floor_minor = 0 }) => sum + floor_minor, 0) + over
        const { result } = distributionops.work({ pool: pool(amount), recipients })
        const got = Object.fromEntries(
          result.allocations.map((one) => [one.recipient_id, BigInt(one.amount_minor)]),
        )
        expect(got).toEqual(secondOpinion(amount, recipients))
        const sum = result.allocations.reduce((total, { amount_minor }) => total + amount_minor, 0)
        expect(sum + result.remainder_minor).toBe(amount)
        expect(result.total_check.balances).toBe(true)
        for (const { id, floor_minor = 0, cap_minor = Number.POSITIVE_INFINITY } of recipients) {
          expect(Number(got[id])).toBeGreaterThanOrEqual(floor_minor)
          expect(Number(got[id])).toBeLessThanOrEqual(cap_minor)
        }
        const allFull = recipients.every(({ id, cap_minor }) => got[id] === BigInt(cap_minor ?? -1))
        expect(result.remainder_minor > 0).toBe(allFull && sum < amount)
      }),
      { numRuns: 500 },
    )
  },
)

verifies(
  'distributionops.shares',
  'the order of the recipients changes nothing but where they are cited',
  () => {
    fc.assert(
      fc.property(recipientsOf, fc.nat(9_000), fc.nat(), (recipients, amount, seed) => {
        const one = distributionops.work({ pool: pool(amount), recipients }).result
        const other = distributionops.work({
          pool: pool(amount),
          recipients: shuffled(recipients, dice(seed)),
        }).result
        expect(other.manifest_sha256).toBe(one.manifest_sha256)
        const bare = (result: typeof one) =>
          result.allocations.map(({ citations: _, ...allocation }) => allocation)
        expect(bare(other)).toEqual(bare(one))
      }),
    )
  },
)

verifies(
  ['distributionops.shares', 'rails.fold'],
  'twenty thousand recipients sum exactly, inline and as a fold',
  () => {
    const recipients = Array.from({ length: 20_000 }, (_, index): Recipient => {
      return {
        id: `r-${index}`,
        weight: (1 + ((index * 7_919) % 1_000)) / 8,
        destination_reference: `d-${index}`,
        ...limitOf(index),
      }
    })
    const input = { pool: pool(98_765_432), recipients }
    const work = distributionops.work(input)
    expect(work.result.allocations.reduce((sum, { amount_minor }) => sum + amount_minor, 0)).toBe(
      98_765_432,
    )
    expect(JSON.stringify(byFold(distributionops, input))).toBe(JSON.stringify(work))
    expect(distributionops.result.safeParse(work.result).error).toBeUndefined()
  },
)

function limitOf(index: number): Pick<Recipient, 'cap_minor' | 'floor_minor'> {
  if (index % 7 === 0) return { cap_minor: 900 }
  return index % 11 === 0 ? { floor_minor: 700 } : {}
}

verifies('distributionops.refusals', 'ids that look alike are named, and both are paid', () => {
  const work = distributionops.work({
    pool: { amount_minor: 100, currency: 'EUR' },
    recipients: ['Anna', 'anna\u00a0', 'B\u200bob', 'Carl', 'Carla'].map((id) => ({
      id,
      weight: 1,
    })),
  })
  const alike = work.findings.find(({ code }) => code === 'ids_alike')
  expect(alike?.citations?.map(({ pointer }) => pointer)).toEqual([
    '/recipients/0/id',
    '/recipients/1/id',
  ])
  expect(work.result.allocations).toHaveLength(5)
})
