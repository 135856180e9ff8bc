import * as wf from '@temporalio/workflow'
import { timing } from '../timing.ts'

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

/** What a run rests for, and until when, in milliseconds; both may change meanwhile. */
type Rest = { readonly came: () => boolean; readonly until: () => number }

/**
 * One timer for a whole run: it rings to look whether the run was idle for too long, which is seldom, and most runs end before
 * it does. `onRing` is called at each look.
 */
export function oneTimer(onRing: () => void) {
  let isSet = false
  let rang = false
  let longest: number = timing.look.first
  const set = (until: number): void => {
    if (isSet) return
    isSet = true
    const ms = Math.min(until - Date.now(), longest)
    longest = timing.look.next
    const ring = (): void => {
      isSet = false
      rang = true
      onRing()
    }
    // A cancelled run ends by its condition.
    wf.sleep(ms, { summary: 'looks whether it was idle for too long' }).then(ring, () => undefined)
  }
  return {
    /** Sets the timer where none is set. */
    set,
    /** Rests until something came or the time is up; whether something came. */
    rest: async ({ came, until }: Rest): Promise<boolean> => {
      while (!came()) {
        if (Date.now() < until()) {
          rang = false
          if (until() !== Number.POSITIVE_INFINITY) set(until())
          await wf.condition(() => came() || rang)
          continue
        }
        if (wf.allHandlersFinished()) return false
        // What is under way when the time is up may still bring something.
        await wf.condition(wf.allHandlersFinished)
      }
      return true
    },
  }
}
