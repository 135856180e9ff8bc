import { Context } from '@temporalio/activity'
import type { StepProgress } from '#domain/runs/progress.ts'

/** What a long step has from its activity; `tries` counts how often it was begun, this time included, which is `last` if it is not begun again. */
export type Alive = {
  signal: AbortSignal
  report: (progress: StepProgress) => void
  tries: number
  last: boolean
}

/**
 * Sends Temporal heartbeats for as long as a step takes, each with the last reported progress; `signal` aborts when the step is
 * cancelled or its worker stops.
 */
export async function whileAlive<Result>(work: (alive: Alive) => Promise<Result>): Promise<Result> {
  const context = Context.current()
  let progress: StepProgress | undefined
  const beat = setInterval(
    () => context.heartbeat(progress),
    (context.info.heartbeatTimeoutMs ?? 60_000) / 4,
  )
  const report = (next: StepProgress): void => {
    progress = next
  }
  try {
    const { attempt: tries, retryPolicy } = context.info
    const last = tries === retryPolicy?.maximumAttempts
    return await work({ signal: context.cancellationSignal, report, tries, last })
  } finally {
    clearInterval(beat)
  }
}
