import fc from 'fast-check'
import { expect } from 'vitest'
import {
  challengeLifeSeconds,
  discoveryPrice,
  priceCard,
  priceOf,
  pricingModelOf,
  quoteLifeSeconds,
  railFee,
} from '#domain/credit/pricing.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { verifies } from '../../../verifies.ts'
import { refusalOf } from '../refusal.ts'

/** What the rails declare; endpoints.md §22.1. */
const bases: [RailKey, number, number, number][] = [
  ['packetops', 49, 99, 249],
  ['diligenceops', 99, 199, 399],
  ['energyops', 149, 299, 499],
  ['distributionops', 199, 399, 699],
]
const sold = ([key, entry, standard, pro]: (typeof bases)[number]) => ({
  key,
  prices: { entry, standard, pro },
})

verifies('money.prices', 'every number of both tables of the document', () => {
  const cards = Object.fromEntries(bases.map((row) => [row[0], priceCard(sold(row))]))
  // agent-commerce.md § Prices, agent pricing surface: entry, standard, pro, standard rail fee, standard total.
  const surface: [string, number, number, number, number, number][] = [
    ['packetops', 49, 99, 249, 8, 107],
    ['diligenceops', 99, 199, 399, 16, 215],
  ]
  for (const [rail, entry, standard, pro, rail_fee, total] of surface) {
    expect(cards[rail]).toMatchObject({ entry, standard, pro, rail_fee })
    expect(cards[rail]?.totals.standard).toBe(total)
  }
  // The same, movement fee schedule: totals of entry, standard, pro.
  const schedule: [string, number, number, number][] = [
    ['packetops', 49, 107, 269],
    ['diligenceops', 99, 215, 431],
    ['energyops', 149, 323, 539],
    ['distributionops', 199, 431, 755],
  ]
  for (const [rail, entry, standard, pro] of schedule)
    expect(cards[rail]?.totals).toEqual({ entry, standard, pro })
})

verifies(
  'money.prices',
  'the fee is 8 % rounded half up on standard and pro, and none on entry',
  () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (base) => {
        expect(railFee('entry', base)).toBe(0)
        for (const tier of ['standard', 'pro'] as const) {
          const fee = railFee(tier, base)
          expect(Math.abs(fee * 100 - base * 8)).toBeLessThanOrEqual(50)
          expect(fee * 100 - base * 8).not.toBe(-50)
        }
      }),
    )
  },
)

verifies(
  'money.quote-lines',
  'a quote of several units sums its lines, the fee rounded for each unit',
  () => {
    const packetops = { key: 'packetops' as const, prices: { entry: 49, standard: 99, pro: 249 } }
    expect(priceOf(packetops, 'standard', 3)).toEqual({
      base_usd: 297,
      rail_fee_usd: 24,
      total_usd: 321,
      pricing_model: 'free_tools_movement_fee',
      lines: [
        { item: 'packetops standard × 3', usd: 297 },
        { item: 'micro_routing_fee', usd: 24 },
      ],
    })
    expect(priceOf(packetops, 'entry').lines).toEqual([{ item: 'packetops entry', usd: 49 }])
  },
)

verifies('money.quote-lines', 'a rail that is not sold has no price', () => {
  const unsold = { key: 'contractops', prices: null } as const
  expect(refusalOf(() => priceOf(unsold, 'entry'))).toMatchObject({
    code: 'unsupported_request',
    detail: expect.stringContaining('contractops'),
  })
  expect(discoveryPrice(unsold)).toEqual({
    base_usd: 0,
    rail_fee_usd: 0,
    total_usd: 0,
    pricing_model: 'contractops_discovery',
    lines: [],
  })
  expect(pricingModelOf({ ...unsold, prices: { entry: 1, standard: 2, pro: 3 } })).toBe(
    'free_tools_movement_fee',
  )
})

verifies('money.quote', 'a quote lives for a day and a challenge for an hour', () => {
  expect([quoteLifeSeconds, challengeLifeSeconds]).toEqual([86_400, 3_600])
})
