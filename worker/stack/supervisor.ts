import { setTimeout as sleep } from 'node:timers/promises'
import { errorText } from '../error-text.ts'
import type { Part } from './part.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
const STEADY_AFTER_MS = 60_000

/** Keeps parts running: one that dies is started again with growing pauses, and that is said. */
export class Supervisor {
  readonly #say: (text: string) => void
  readonly #parts: Part[] = []
  readonly #stopping = new AbortController()

  constructor(say: (text: string) => void) {
    this.#say = say
  }

  /** Starts a part, says how long it took, and looks after it from then on; rejects when it does not become ready. */
  readonly start = async (part: Part): Promise<void> => {
    this.#parts.push(part)
    const begun = Date.now()
    await this.#launch(part)
    this.#say(`${part.name} is up (${seconds(begun)})`)
    void this.#watch(part)
  }

  /** Stops everything, the last started first. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    for (const part of this.#parts.toReversed()) {
      await part.stop()
      this.#say(`${part.name} is stopped`)
    }
  }

  async #launch(part: Part): Promise<void> {
    this.#stopping.signal.throwIfAborted()
    await part.start()
    if (this.#stopping.signal.aborted) await part.stop()
    await part.waitReady()
  }

  async #watch(part: Part): Promise<void> {
    let pause = FIRST_PAUSE_MS
    for (;;) {
      const begun = Date.now()
      await part.exited
      if (this.#stopping.signal.aborted) return
      pause =
        Date.now() - begun > STEADY_AFTER_MS
          ? FIRST_PAUSE_MS
          : Math.min(pause * 2, LONGEST_PAUSE_MS)
      this.#say(
        `${part.name} ended unexpectedly; it is started again in ${pause} ms (log: ${part.plan.logFile})`,
      )
      await sleep(pause)
      if (this.#stopping.signal.aborted) return
      await this.#restart(part)
    }
  }

  async #restart(part: Part): Promise<void> {
    const begun = Date.now()
    try {
      await this.#launch(part)
      this.#say(`${part.name} is up again (${seconds(begun)})`)
    } catch (error) {
      this.#say(`${part.name} did not come up: ${errorText(error)}`)
      await part.stop()
    }
  }
}

function seconds(begun: number): string {
  return `${((Date.now() - begun) / 1000).toFixed(1)} s`
}
