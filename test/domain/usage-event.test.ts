import fc from 'fast-check'
import { expect } from 'vitest'
import { brokenAt, type UsageEvent, usageEventHash } from '../../workflows/domain/usage-event.ts'
import { verifies } from '../verifies.ts'

function chainOf(units: readonly number[]): (UsageEvent & { hash: string })[] {
  const chain: (UsageEvent & { hash: string })[] = []
  for (const [sequence, count] of units.entries()) {
    const event: UsageEvent = {
      event_id: `ue_${sequence}`,
      chain: 'en_1',
      sequence,
      kind: 'tool_call',
      rail: 'tokenops',
      units: count,
      unit: 'call',
      credit_units: 0,
      occurred_at: '2026-11-21T10:00:00.000Z',
      recorded_at: '2026-11-21T10:00:01.000Z',
      agent_id: null,
      run_id: null,
      subject: null,
      usage_receipt_id: null,
      prev_hash: chain.at(-1)?.hash ?? null,
    }
    chain.push({ ...event, hash: usageEventHash(event) })
  }
  return chain
}

verifies('money.usage-chain', 'a change, a removal or a swap anywhere in the chain is found at its place', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { minLength: 2, maxLength: 12 }), fc.nat(), (units, seed) => {
      const chain = chainOf(units)
      expect(brokenAt(chain)).toBeUndefined()
      const at = seed % chain.length
      expect(brokenAt(chain.map((event, index) => (index === at ? { ...event, units: event.units + 1 } : event)))).toBe(
        at,
      )
      if (at < chain.length - 1) expect(brokenAt(chain.filter((_, index) => index !== at))).toBe(at)
    }),
  )
})
