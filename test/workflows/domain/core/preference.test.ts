import fc from 'fast-check'
import { expect } from 'vitest'
import { WAIT_SECONDS_MAX, waitPreference } from '#domain/core/preference.ts'
import { verifies } from '../../../verifies.ts'

verifies('status.wait', 'the wait preference follows RFC 7240 and stays within the limit', () => {
  const read: [string | string[] | undefined, number | undefined][] = [
    ['wait=20', 20],
    ['WAIT = "7"; foo="a"', 7],
    ['respond-async, wait=5, wait=9', 5],
    [['return=minimal', 'wait=3'], 3],
    ['wait=0', 0],
    ['wait=9999999999', WAIT_SECONDS_MAX],
    ['wait', undefined],
    ['wait=', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['await=5', undefined],
    ['', undefined],
    [undefined, undefined],
  ]
  for (const [header, seconds] of read) expect(waitPreference(header), String(header)).toBe(seconds)
  fc.assert(
    fc.property(fc.string(), (header) => {
      const seconds = waitPreference(header) ?? 0
      expect(seconds).toBeGreaterThanOrEqual(0)
      expect(seconds).toBeLessThanOrEqual(WAIT_SECONDS_MAX)
    }),
  )
})
