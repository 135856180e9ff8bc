import { expect } from 'vitest'
import { ASSET_DECIMALS, CHAIN_ID, limits, NETWORK } from '#domain/core/limits.ts'
import { verifies } from '../../../verifies.ts'

verifies(
  'limits.documented',
  'caps, price, free tier, proof age and lengths are the documented ones',
  () => {
    expect(limits).toMatchObject({
      maxPayoutAtomic: 25_000_000n,
      dailyCapAtomic: 100_000_000n,
      priceAtomic: 100_000n,
      freeCallsPerWindow: 10,
      freeWindowSeconds: 2_592_000,
      proofAgeSecondsMax: 300,
      memoCharsMax: 1024,
      railReferenceCharsMax: 256,
      idempotencyKeyCharsMax: 128,
      presentationCharsMax: 24_576,
      challengeTokenCharsMax: 8192,
      expiresAtMax: 4_102_444_800,
    })
    expect([NETWORK, CHAIN_ID, ASSET_DECIMALS]).toEqual(['eip155:8453', 8453, 6])
  },
)

verifies('limits.documented', 'the limits that the design decides are those it names', () => {
  expect(limits).toMatchObject({
    proofAheadSecondsMax: 30,
    proofHeaderBytesMax: 2048,
    bodyBytesMax: 64 * 1024,
    executeLifeSecondsMin: 30,
    dailyWindowSeconds: 86_400,
    updatesInFlightMax: 6,
    disclosuresMax: 16,
  })
})
