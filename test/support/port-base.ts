import { randomInt } from 'node:crypto'
import { choosePorts } from '../../worker/stack/ports.ts'

/** A PORT_BASE whose ports are free, below the range that `findFree` gives to the other tests of a run. */
export async function freePortBase(): Promise<number> {
  const base = randomInt(700, 1_000) * 10
  return choosePorts(base).then(
    () => base,
    () => freePortBase(),
  )
}
