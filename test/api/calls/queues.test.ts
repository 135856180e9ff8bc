import { expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { createAttemptsAtOnce } from '../../../api/calls/queues.ts'
import { verifies } from '../../verifies.ts'

verifies(
  'calls.repeats-at-once',
  'one attempt works, and the next follows when it ends',
  async () => {
    const begin = createAttemptsAtOnce()
    const [first, second, other] = [
      begin('call_1', 60_000),
      begin('call_1', 60_000),
      begin('call_2', 1),
    ]
    expect([first.isFirst(), second.isFirst(), other.isFirst()]).toEqual([true, false, true])
    const woken = second.otherEnded(3_600_000)
    first.end()
    await woken
    expect(second.isFirst()).toBe(true)
    second.end()
    expect(begin('call_1', 1).isFirst()).toBe(true)
  },
)

verifies(
  'calls.repeats-at-once',
  'repeats over the bound are refused with the time until they fit',
  () => {
    const begin = createAttemptsAtOnce(3)
    const attempts = [1, 2, 3].map(() => begin('call_1', 20_000))
    const refused = () => {
      try {
        begin('call_1', 20_000)
      } catch (error) {
        if (error instanceof DomainError) return error.refusal
      }
      throw new Error('it was kept waiting')
    }
    const { code, money_moved, retry_after_ms = 0 } = refused()
    expect([code, money_moved]).toEqual(['contention', 'unknown'])
    expect(retry_after_ms).toBeGreaterThanOrEqual(1_000)
    expect(retry_after_ms).toBeLessThanOrEqual(20_000)
    expect(begin('call_2', 1).isFirst()).toBe(true)
    attempts[1]?.end()
    expect(begin('call_1', 1).isFirst()).toBe(false)
  },
)
