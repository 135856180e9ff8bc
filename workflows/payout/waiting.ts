import * as wf from '@temporalio/workflow'
import { timing } from '../timing.ts'

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
