import type { Pool } from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * One use of a limited resource: granted, with what is left until the window ends, or the end of the window. Other processes may have
 * used some of what is left. An unused grant can be returned.
 */
export type Ticket =
  | { granted: true; left: number; resetMs: number; putBack(): void }
  | { granted: false; retryAfterMs: number; putBack(): void }
export type Limiter = { take(key: string, points?: number): Promise<Ticket> }

/** `rest` is what no process had taken when this one took its share. */
type Share = { left: number; until: number; rest: number }

/** When more keys are in memory, those whose window has ended are removed. */
const SHARES_MAX = 10_000

/**
 * A counter in Postgres that all processes share. A process takes a twentieth of a limit at a time and spends it
 * locally, so that most calls need no statement. All processes together never exceed the limit.
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
      left: share.left + share.rest,
      resetMs: share.until - performance.now(),
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
    const rest = window.remainingPoints
    if (share !== undefined && share.until > now)
      Object.assign(share, { left: share.left + taken, rest })
    else shares.set(key, { left: taken, until: now + window.msBeforeNext, rest })
  }
  /** Takes a portion, or just the requested points if a portion is no longer left. A returned ticket is a refusal. */
  const refill = async (key: string, used: number): Promise<Ticket | undefined> => {
    for (const asked of portion > used ? [portion, used] : [used]) {
      const taken = await consume(limiter, key, asked)
      if (taken.granted) return keep(key, asked, taken.window)
      if (asked === used)
        return { granted: false, retryAfterMs: taken.retryAfterMs, putBack: () => undefined }
      // A refusal that this process made from memory was never counted in Postgres.
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
        // One refill at a time for each key. Points that another refill takes at the same time would stay unused.
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
