import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../../worker/stack/part.ts'
import { restart } from '../support/processes.ts'

/** Starts each part again when it ends, at once and as often as that takes, as an orchestrator does. */
export class Keeper {
  readonly #parts: { part: Part; back: Promise<void> }[] = []
  #ending = false

  /** `afterStart` is done each time that the part came back. */
  keep(part: Part, afterStart: () => Promise<unknown> = async () => undefined): void {
    const entry = { part, back: Promise.resolve() }
    this.#parts.push(entry)
    void this.#watch(entry, afterStart)
  }

  /** Resolves when every part is up. */
  async allUp(): Promise<void> {
    for (const { part } of this.#parts) while (part.pid === undefined) await sleep(50)
    await Promise.all(this.#parts.map(({ back }) => back))
    await Promise.all(this.#parts.map(({ part }) => part.waitReady()))
  }

  /** Lets parts end from now on. */
  end(): void {
    this.#ending = true
  }

  async #watch(entry: { part: Part; back: Promise<void> }, afterStart: () => Promise<unknown>): Promise<void> {
    while (!this.#ending) {
      await entry.part.exited
      if (this.#ending) return
      await sleep(100)
      entry.back = restart(entry.part).then(
        async () => void (await afterStart()),
        () => undefined,
      )
      await entry.back
      // It did not come up: again.
      if (entry.part.pid === undefined) await sleep(300)
    }
  }
}
