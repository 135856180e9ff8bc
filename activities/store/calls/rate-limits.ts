import type { Pool } from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'

/** One use of a limited thing: granted, or when the window ends. What was not used after all is put back. */
export type Ticket =
  | { granted: true; putBack(): void }
  | { granted: false; retryAfterMs: number; putBack(): void }
export type Limiter = { take(key: string, points?: number): Promise<Ticket> }

type Share = { left: number; until: number }

/** So many keys are remembered before those whose window is over are forgotten. */
const SHARES_MAX = 10_000

/**
 * A counter in Postgres, shared by all processes. A process takes a twentieth of a limit at a time and spends it here, so that
 * most calls cost no statement; all processes together never spend more than the limit.
 */
export function createLimiter(
  pool: Pool,
  name: string,
  points: number,
  durationSeconds: number,
): Limiter {
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
  const portion = Math.max(1, Math.floor(points / 20))
  const shares = new Map<string, Share>()

  const spend = (key: string, used: number): Ticket | undefined => {
    const share = shares.get(key)
    if (share === undefined || share.left < used || share.until <= performance.now())
      return undefined
    share.left -= used
    return {
      granted: true,
      putBack: () => {
        share.left += used
      },
    }
  }
  const keep = (key: string, taken: number, window: RateLimiterRes): undefined => {
    const now = performance.now()
    if (shares.size >= SHARES_MAX)
      for (const [other, { until }] of shares) if (until <= now) shares.delete(other)
    const share = shares.get(key)
    if (share !== undefined && share.until > now) share.left += taken
    else shares.set(key, { left: taken, until: now + window.msBeforeNext })
  }
  /** Takes a portion, or where so much is no longer left just what is asked for; the ticket is a refusal. */
  const refill = async (key: string, used: number): Promise<Ticket | undefined> => {
    for (const asked of portion > used ? [portion, used] : [used]) {
      const taken = await consume(limiter, key, asked)
      if (taken.granted) return keep(key, asked, taken.window)
      if (asked === used)
        return { granted: false, retryAfterMs: taken.retryAfterMs, putBack: () => undefined }
      // What this process refuses by itself, because it saw the limit reached, was never counted in Postgres.
      if (taken.counted) await limiter.reward(key, asked)
    }
    return undefined
  }
  const refilling = new Map<string, Promise<Ticket | undefined>>()
  return {
    take: async (key, used = 1) => {
      for (;;) {
        const spent = spend(key, used)
        if (spent !== undefined) return spent
        // One at a time for each key: points that others take at the same time would stay unused.
        const mine = refilling.get(key) ?? refill(key, used).finally(() => refilling.delete(key))
        refilling.set(key, mine)
        const refused = await mine
        if (refused !== undefined) return refused
      }
    },
  }
}

type Consumed =
  | { granted: true; window: RateLimiterRes }
  | { granted: false; retryAfterMs: number; counted: boolean }

async function consume(
  limiter: RateLimiterPostgres,
  key: string,
  points: number,
): Promise<Consumed> {
  try {
    return { granted: true, window: await limiter.consume(key, points) }
  } catch (spent) {
    if (spent instanceof RateLimiterRes)
      return {
        granted: false,
        retryAfterMs: Math.max(1, spent.msBeforeNext),
        counted: spent.consumedPoints > 0,
      }
    throw spent
  }
}
