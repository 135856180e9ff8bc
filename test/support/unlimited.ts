import type { RateLimits } from '../../api/calls/limits.ts'

const granted = {
  granted: true,
  assertGranted: () => undefined,
  putBack: () => undefined,
}

/** Limits of addresses that no call reaches. */
export const unlimited: Pick<RateLimits, 'address' | 'publicCaller'> = {
  address: async () => granted,
  publicCaller: async () => granted,
}
