import * as wf from '@temporalio/workflow'

/** Waits until something came or the time in milliseconds is up; whether something came. `reason` is what it waits for. */
export type Wait = (came: () => boolean, ms: number, reason: string) => Promise<boolean>

/** Temporal refuses a summary over 400 bytes, and with it the whole workflow task. */
const REASON_MAX = 100

/** A timer for each wait, cancelled by what comes; the histories of runs that began before `standingTimers` have these. */
export const ownTimers: Wait = (came, ms, reason) =>
  wf.condition(came, ms, { summary: `waits for ${reason}`.slice(0, REASON_MAX) })

/**
 * A timer is set only where none rings before the wait is over, and none is cancelled: it rings for nothing or ends with the
 * run. To cancel one and set the next for each wait costs the server and the worker more.
 */
export function standingTimers(): Wait {
  let next = Number.POSITIVE_INFINITY
  const ringAt = (at: number, reason: string): void => {
    next = at
    const rung = (): void => {
      if (next === at) next = Number.POSITIVE_INFINITY
    }
    const summary = `set when it waited for ${reason}`.slice(0, REASON_MAX)
    // A cancelled run ends by its condition.
    wf.sleep(at - Date.now(), { summary }).then(rung, () => undefined)
  }
  return async (came, ms, reason) => {
    const end = Date.now() + ms
    while (!came() && Date.now() < end) {
      if (end < next) ringAt(end, reason)
      const awaited = next
      await wf.condition(() => came() || next !== awaited)
    }
    return came()
  }
}
