import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../../../worker/stack/part.ts'
import { restart } from '../../support/processes.ts'

const ALL_UP_WITHIN_MS = 120_000
type Kept = { part: Part; back: Promise<void> }

/** Starts each part again when it ends, at once and as often as that takes, as an orchestrator does. */
export class PartSupervisor {
  readonly #parts: Kept[] = []
  #ending = false

  /** `afterStart` is done each time that the part came back. */
  keep(part: Part, afterStart: () => Promise<unknown> = async () => undefined): void {
    const entry = { part, back: Promise.resolve() }
    this.#parts.push(entry)
    void this.#watch(entry, afterStart)
  }

  /** Resolves when every part is up; one that ends at its start is started again first. */
  async allUp(): Promise<void> {
    const until = Date.now() + ALL_UP_WITHIN_MS
    for (const entry of this.#parts)
      while (!(await isUp(entry))) {
        if (Date.now() > until)
          throw new Error(`${entry.part.name} does not come up:\n${entry.part.logTail()}`)
        await sleep(100)
      }
  }

  /** Lets parts end from now on. */
  end(): void {
    this.#ending = true
  }

  async #watch(entry: Kept, afterStart: () => Promise<unknown>): Promise<void> {
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

async function isUp({ part, back }: Kept): Promise<boolean> {
  await back
  return (
    part.pid !== undefined &&
    part.waitReady().then(
      () => true,
      () => false,
    )
  )
}
