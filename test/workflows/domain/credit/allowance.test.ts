import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type AllowanceLimits,
  allowanceDenials,
  dayLeft,
  denied,
  narrows,
} from '#domain/credit/allowance.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { verifies } from '../../../verifies.ts'
import { refusalOf } from '../refusal.ts'

const open: AllowanceLimits = { per_run_usd: null, per_day_usd: null, rails: null }
const payment = { rail: 'tokenops', amount_usd: 100 }

verifies('money.allowance', 'a payment at a limit is allowed, one usd more is denied', () => {
  expect(allowanceDenials(open, payment, 1_000_000)).toEqual([])
  expect(allowanceDenials({ ...open, per_run_usd: 100 }, payment, 0)).toEqual([])
  expect(allowanceDenials({ ...open, per_run_usd: 99 }, payment, 0)).toEqual([
    expect.stringMatching(/100 .*99 usd a run/),
  ])
  expect(allowanceDenials({ ...open, per_day_usd: 130 }, payment, 30)).toEqual([])
  expect(allowanceDenials({ ...open, per_day_usd: 129 }, payment, 30)).toEqual([
    expect.stringMatching(/100 .*30 .*129 usd a day/),
  ])
  expect(allowanceDenials({ ...open, rails: ['scout', 'tokenops'] }, payment, 0)).toEqual([])
  expect(allowanceDenials({ ...open, rails: ['scout'] }, payment, 0)).toEqual([
    expect.stringContaining('tokenops'),
  ])
  const badge = { rail: 'trust_badge_fee', amount_usd: 1 }
  expect(allowanceDenials({ ...open, rails: ['scout'] }, badge, 0)).toEqual([
    'the rails of the wallet are scout; it does not pay for trust_badge_fee',
  ])
})

verifies('money.allowance', 'every limit that forbids a payment is named', () => {
  const limits = { per_run_usd: 1, per_day_usd: 1, rails: [] }
  expect(allowanceDenials(limits, payment, 0)).toHaveLength(3)
})

verifies('money.allowance', 'the rest of a day is never below zero', () => {
  expect(dayLeft(open, 5)).toBeNull()
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(1_000), (limit, spent) => {
      const left = dayLeft({ ...open, per_day_usd: limit }, spent)
      expect(left).toBe(spent > limit ? 0 : limit - spent)
    }),
  )
})

const limit = fc.option(fc.nat(6))
const rails = fc.option(fc.uniqueArray(fc.constantFrom(...railKeys.slice(0, 3)), { maxLength: 3 }))
const limits = fc.record({ per_run_usd: limit, per_day_usd: limit, rails })

verifies('money.allowance', 'limits are narrower exactly when they permit nothing new', () => {
  const payments = railKeys
    .slice(0, 4)
    .flatMap((rail) =>
      [0, 1, 2, 3, 4, 5, 6, 7].flatMap((amount_usd) =>
        [0, 1, 7].map((spent) => ({ one: { rail, amount_usd }, spent })),
      ),
    )
  const permits = (some: AllowanceLimits) =>
    payments.map(({ one, spent }) => allowanceDenials(some, one, spent).length === 0)
  fc.assert(
    fc.property(limits, limits, (now, next) => {
      const [before, after] = [permits(now), permits(next)]
      const permitsMore = after.some((yes, index) => yes && !before[index])
      if (narrows(now, next)) expect(permitsMore).toBe(false)
      expect(narrows(now, now)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

verifies('money.allowance', 'each limit that is raised or dropped widens the wallet', () => {
  const now: AllowanceLimits = { per_run_usd: 5, per_day_usd: 50, rails: ['scout', 'packetops'] }
  const lower: AllowanceLimits = { per_run_usd: 4, per_day_usd: 49, rails: ['packetops'] }
  expect(narrows(now, lower)).toBe(true)
  expect(narrows(open, now)).toBe(true)
  const wider: Partial<AllowanceLimits>[] = [
    { per_run_usd: 6 },
    { per_run_usd: null },
    { per_day_usd: 51 },
    { per_day_usd: null },
    { rails: ['packetops', 'tokenops'] },
    { rails: null },
  ]
  for (const change of wider)
    expect(narrows(now, { ...lower, ...change }), JSON.stringify(change)).toBe(false)
})

verifies('money.allowance', 'a denial carries its reason', () => {
  const refused = refusalOf(() => {
    throw denied('the reason')
  })
  expect(refused).toMatchObject({ code: 'control_denied', detail: 'the reason' })
})
