import type { Pool } from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'

export type Limiter = { consume(key: string, points?: number): Promise<{ retryAfterMs: number } | undefined> }

/** A counter in Postgres, shared by all processes: undefined when the point was there, else when the window ends. */
export function createLimiter(pool: Pool, name: string, points: number, durationSeconds: number): Limiter {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points,
    duration: durationSeconds,
    inMemoryBlockOnConsumed: points,
  })
  return {
    consume: async (key, used = 1) => {
      try {
        await limiter.consume(key, used)
        return undefined
      } catch (spent) {
        if (spent instanceof RateLimiterRes) return { retryAfterMs: Math.max(1, spent.msBeforeNext) }
        throw spent
      }
    },
  }
}
