import { fork } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Bomb, dice, type Piece } from './bombs.ts'

const DOUBLINGS = 4
/** n·log n gives 2.1 to 2.2 for a doubling. */
const RATIO_MAX = 2.5
/** Shorter times say more of the machine than of the work. */
const NOISE_MS = 12
const TRIES = 3

/** The processor time of a child for each of five sizes, each twice the one before it, as medians of five. */
export async function growthOf({ make, size }: Bomb, seed: number): Promise<number[]> {
  const [drawn] = fc.sample(dice, { numRuns: 1, seed })
  if (drawn === undefined) throw new Error('nothing was drawn')
  const found: number[] = []
  for (let step = 0; step <= DOUBLINGS; step += 1) found.push(await cpuOf(make(size * 2 ** step, drawn)))
  return found
}

/** Measures until each doubling keeps to the ratio; what the machine does in between may spoil a measurement, but not three. */
export async function expectGrowth(bomb: Bomb): Promise<number[]> {
  const worst: number[] = []
  for (let tried = 1; ; tried += 1) {
    const found = await growthOf(bomb, tried)
    const ratios = found.slice(1).map((after, at) => Math.max(after, NOISE_MS) / Math.max(found[at] ?? 0, NOISE_MS))
    worst.push(Math.max(...ratios))
    if (Math.max(...ratios) <= RATIO_MAX) return found
    if (tried === TRIES)
      expect.fail(`${bomb.name}: a doubling takes ${worst.map((ratio) => ratio.toFixed(1)).join(', ')} times as long`)
  }
}

/** The median of five pieces of equal work in one new process. */
export function cpuOf(piece: Piece): Promise<number> {
  const program = join(import.meta.dirname, 'measured-child.mjs')
  const child = fork(program, { serialization: 'advanced' })
  return new Promise((resolve, reject) => {
    child.once('message', ({ cpuMs }: { cpuMs: number[] }) => {
      child.kill()
      resolve(cpuMs.toSorted((a, b) => a - b)[Math.floor(cpuMs.length / 2)] ?? 0)
    })
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    child.send(piece)
  })
}
