import fc from 'fast-check'
import { expect } from 'vitest'
import { scopes } from '#domain/agents/credential.ts'
import { accessWithin, LimitChange, limitsAfter, TrustLimits } from '#domain/agents/trust-limits.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { verifies } from '../../../verifies.ts'

const of = <T extends string>(names: readonly T[]) => fc.subarray([...names], { minLength: 1 })
const limit = {
  rails: of(railKeys),
  scopes: of(scopes),
  max_usd: fc.nat(1_000_000),
  concurrent_runs: fc.integer({ min: 1, max: 1000 }),
}
const limits = fc.option(fc.record(limit, { requiredKeys: [] }))
const change = fc
  .record(
    {
      rails: fc.option(limit.rails),
      scopes: fc.option(limit.scopes),
      max_usd: fc.option(limit.max_usd),
      concurrent_runs: fc.option(limit.concurrent_runs),
    },
    { requiredKeys: [] },
  )
  .filter((asked) => Object.keys(asked).length > 0)
const names = ['rails', 'scopes', 'max_usd', 'concurrent_runs'] as const

verifies('console.limits', 'a change sets what it names, null removes, the rest stays', () => {
  fc.assert(
    fc.property(limits, change, (before, asked) => {
      expect(LimitChange.safeParse(asked).success).toBe(true)
      const after = limitsAfter(before, asked)
      expect(TrustLimits.parse(after)).toEqual(after)
      for (const name of names)
        expect(after[name]).toEqual(name in asked ? (asked[name] ?? undefined) : before?.[name])
      expect(limitsAfter(after, asked)).toEqual(after)
    }),
  )
  expect(LimitChange.safeParse({}).success).toBe(false)
  expect(LimitChange.safeParse({ max_usd: -1 }).success).toBe(false)
})

verifies('console.limits', 'limits never widen an access, and no limit leaves it whole', () => {
  fc.assert(
    fc.property(limits, of(scopes), of(railKeys), (set, asked, rails) => {
      const access = { scopes: asked, rails }
      const within = accessWithin(set, access)
      expect(accessWithin(null, access)).toEqual(access)
      expect(accessWithin(set, within)).toEqual(within)
      expect(within.scopes).toEqual(asked.filter((one) => set?.scopes?.includes(one) ?? true))
      expect(within.rails).toEqual(rails.filter((one) => set?.rails?.includes(one) ?? true))
    }),
  )
})
