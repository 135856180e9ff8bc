import { refuse } from '#domain/core/errors.ts'
import { isUnavailable } from '../../activities/store/postgres/db.ts'

/** Runs the work of one key one after the other within this process. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * The calls of one caller wait here without a connection, instead of each holding one while it waits for the same lock in
 * Postgres. Correctness over all processes comes from that lock alone. When Postgres is down, waiting work fails at once.
 */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, (error: unknown) => {
      if (isUnavailable(error)) throw error
      return work()
    })
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}

/** Attempts of one call that a process keeps waiting at once. */
const ATTEMPTS_MAX = 100

/** One attempt of a call among those that this process handles at the same time. */
export type Attempt = {
  /** Whether it is the first of them: it alone leads, looks for the answer and settles, and the others wait for its end. */
  isFirst(): boolean
  /** Waits until another attempt has ended, at most `ms`. */
  otherEnded(ms: number): Promise<void>
  end(): void
}

/** Begins an attempt of a call; `waitMs` is how long each may wait. Throws 503 `contention` for more than a process keeps waiting. */
export type BeginAttempt = (callId: string, waitMs: number) => Attempt

type Waiting = { readonly until: number; wake: () => void }

export function createAttemptsAtOnce(most = ATTEMPTS_MAX): BeginAttempt {
  const calls = new Map<string, Set<Waiting>>()
  return (callId, waitMs) => {
    const attempts = calls.get(callId) ?? new Set()
    if (attempts.size >= most) throw tooMany(attempts)
    calls.set(callId, attempts)
    const mine: Waiting = { until: performance.now() + waitMs, wake: () => undefined }
    attempts.add(mine)
    return {
      isFirst: () => firstOf(attempts) === mine,
      otherEnded: (ms) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, ms))
          mine.wake = () => {
            clearTimeout(timer)
            resolve()
          }
        }),
      end: () => {
        attempts.delete(mine)
        if (attempts.size === 0) calls.delete(callId)
        for (const { wake } of attempts) wake()
      },
    }
  }
}

const firstOf = <T>(all: ReadonlySet<T>): T | undefined => all.values().next().value

/** All of them have ended by the time at which the first has to. */
function tooMany(attempts: ReadonlySet<Waiting>) {
  const left = (firstOf(attempts)?.until ?? 0) - performance.now()
  return refuse('contention', {
    detail: `${attempts.size} repeats of this call wait already`,
    money_moved: 'unknown',
    retry_after_ms: Math.max(1_000, Math.ceil(left)),
  })
}
