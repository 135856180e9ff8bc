import { Context } from '@temporalio/activity'

/** Sends Temporal heartbeats for as long as a step takes; `signal` aborts when the step is cancelled or its worker stops. */
export async function whileAlive<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const context = Context.current()
  const beat = setInterval(
    () => context.heartbeat(),
    (context.info.heartbeatTimeoutMs ?? 60_000) / 4,
  )
  try {
    return await work(context.cancellationSignal)
  } finally {
    clearInterval(beat)
  }
}
