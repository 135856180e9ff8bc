import * as wf from '@temporalio/workflow'
import { timing } from '../shared/timing.ts'

/** The only timer of a payout run. Most runs end before it rings, so it usually adds one event to the history. */
export class IdleTimer {
  /** How often it rang. */
  rings = 0
  readonly #onRing: () => void
  #isSet = false

  constructor(onRing: () => void) {
    this.#onRing = onRing
  }

  /** Sets the timer for this time (Unix milliseconds) or for an earlier check; keeps a timer that is already set. */
  set(atMs: number): void {
    if (this.#isSet || atMs === Number.POSITIVE_INFINITY) return
    this.#isSet = true
    const { first, next } = timing.idleCheck
    const ms = Math.min(atMs - Date.now(), this.rings === 0 ? first : next)
    // A cancelled run ends by its condition.
    wf.sleep(ms, { summary: 'checks whether the payout is idle' }).then(
      () => this.#ring(),
      () => undefined,
    )
  }

  #ring(): void {
    this.#isSet = false
    this.rings += 1
    this.#onRing()
  }
}
