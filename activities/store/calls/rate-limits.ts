import type { Pool } from 'pg'
import { countStatement, type WindowCount } from './window-counts.ts'

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
  const counter = createCounter(pool, name, { points, seconds: durationSeconds })
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
  const keep = (key: string, taken: number, { rest, leftMs }: Counted): undefined => {
    const now = performance.now()
    if (shares.size >= SHARES_MAX)
      for (const [other, { until }] of shares) if (until <= now) shares.delete(other)
    const share = shares.get(key)
    if (share !== undefined && share.until > now)
      Object.assign(share, { left: share.left + taken, rest })
    else shares.set(key, { left: taken, until: now + leftMs, rest })
  }
  /** Takes a portion, or just the requested points if a portion is no longer left. A returned ticket is a refusal. */
  const refill = async (key: string, used: number): Promise<Ticket | undefined> => {
    for (const asked of portion > used ? [portion, used] : [used]) {
      const taken = await counter.take(key, asked)
      if (taken.rest >= 0) return keep(key, asked, taken)
      if (asked === used)
        return { granted: false, retryAfterMs: taken.leftMs, putBack: () => undefined }
      if (taken.counted) await counter.putBack(key, asked)
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

/** What is left of a limit, negative when a request did not fit, and how long its window lasts. A refusal from memory was not counted. */
type Counted = { readonly rest: number; readonly leftMs: number; readonly counted: boolean }

/** Counts in Postgres, and knows which keys have used up their limit. */
function createCounter(pool: Pool, name: string, limit: { points: number; seconds: number }) {
  const spentUntil = new Map<string, number>()
  return {
    take: async (key: string, points: number): Promise<Counted> => {
      const spent = (spentUntil.get(key) ?? 0) - performance.now()
      if (spent > 0) return { rest: -points, leftMs: spent, counted: false }
      const counts = new Map([[`${name}:${key}`, points]])
      const { rows } = await pool.query<WindowCount>(countStatement(counts, limit.seconds))
      const [{ points: taken, left_ms: leftMs } = { points, left_ms: 1 }] = rows
      if (taken - points >= limit.points) block(spentUntil, key, leftMs)
      return { rest: limit.points - taken, leftMs, counted: true }
    },
    putBack: async (key: string, points: number): Promise<void> => {
      await pool.query({
        name: 'put_back_points',
        text: `update window_counts set points = points - $2
          where key = $1 and window_ends_at > clock_timestamp() and points >= $2`,
        values: [`${name}:${key}`, points],
      })
    },
  }
}

/** Remembers that a limit is used up, so that further refusals need no statement. */
function block(spentUntil: Map<string, number>, key: string, leftMs: number): void {
  const now = performance.now()
  if (spentUntil.size >= SHARES_MAX)
    for (const [other, until] of spentUntil) if (until <= now) spentUntil.delete(other)
  spentUntil.set(key, now + leftMs)
}
