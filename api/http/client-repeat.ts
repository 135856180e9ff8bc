import { ProblemError } from './client-problem.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * Makes a call again while it is refused as retryable, after the time that the refusal names, and while it does not get
 * through. Nothing is done twice: a call carries the same idempotency key each time.
 */
export async function repeated<Result>(
  attempt: () => Promise<Result>,
  { forMs, signal }: { forMs: number; signal: AbortSignal | undefined },
): Promise<Result> {
  const until = Date.now() + forMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      const waitMs = waitAfter(error, pauseMs)
      if (waitMs === undefined || signal?.aborted || Date.now() + waitMs >= until) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

/** How long to wait before the call is made again; undefined where that would be no use. */
function waitAfter(error: unknown, pauseMs: number): number | undefined {
  if (error instanceof ProblemError)
    return error.problem.retryable ? (error.problem.retry_after_ms ?? pauseMs) : undefined
  // What `fetch` throws when a connection fails.
  return error instanceof TypeError && error.message === 'fetch failed' ? pauseMs : undefined
}
