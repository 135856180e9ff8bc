import { Context } from '@temporalio/activity'

/** Tells Temporal that a step goes on for as long as it takes, four times in its heartbeat timeout. */
export async function whileAlive<Result>(act: () => Promise<Result>): Promise<Result> {
  const context = Context.current()
  const beat = setInterval(() => context.heartbeat(), (context.info.heartbeatTimeoutMs ?? 60_000) / 4)
  try {
    return await act()
  } finally {
    clearInterval(beat)
  }
}
