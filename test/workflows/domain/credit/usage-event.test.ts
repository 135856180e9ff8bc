import fc from 'fast-check'
import { expect } from 'vitest'
import {
  CREDIT_UNIT,
  SERVICE_CHAIN,
  sampleUsageEvent,
  type UsageEvent,
  usageEventHash,
} from '#domain/credit/usage-event.ts'
import { brokenAt } from '../../../support/usage-chain.ts'
import { verifies } from '../../../verifies.ts'

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

verifies('money.usage-chain', 'a change, removal or swap in the chain is located', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000), { minLength: 2, maxLength: 12 }),
      fc.nat(),
      (units, seed) => {
        const chain = chainOf(units)
        expect(brokenAt(chain)).toBeUndefined()
        const at = seed % chain.length
        expect(
          brokenAt(
            chain.map((event, index) =>
              index === at ? { ...event, units: event.units + 1 } : event,
            ),
          ),
        ).toBe(at)
        if (at < chain.length - 1)
          expect(brokenAt(chain.filter((_, index) => index !== at))).toBe(at)
      },
    ),
  )
})

verifies('money.usage-chain', 'an event that is hashed again but out of place is found', () => {
  const rehashed = (event: UsageEvent, change: Partial<UsageEvent>) => {
    const { hash: _, ...changed } = { ...event, ...change, hash: '' }
    return { ...changed, hash: usageEventHash(changed) }
  }
  const chain = chainOf([1, 2, 3])
  const last = chain[2] as UsageEvent
  for (const change of [{ sequence: 3 }, { prev_hash: 'f'.repeat(64) }, { prev_hash: null }])
    expect(brokenAt(chain.with(2, rehashed(last, change)))).toBe(2)
})

verifies('money.usage-chain', 'the sample is a whole chain of the service by itself', () => {
  expect(brokenAt([sampleUsageEvent])).toBeUndefined()
  expect(sampleUsageEvent.chain).toBe('service')
  expect([SERVICE_CHAIN, CREDIT_UNIT]).toEqual(['service', 'usd_credit'])
})
