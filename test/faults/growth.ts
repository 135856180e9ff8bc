import { fork } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Bomb, dice, type Piece } from './bombs.ts'

const STEPS = [1, 2, 4, 8, 16]
/** n·log n gives 2.1 to 2.2 for a doubling. */
const RATIO_MAX = 2.5
/** Shorter times say more of the machine than of the work: a smaller piece is done so many times that it takes this. */
const LEAST_MS = 60
const TRIES = 8

type Size = { piece: Piece; medianMs: number }

/** The processor time of each of five sizes, each twice the one before it; throws where a doubling takes too much more, eight times. */
export async function expectGrowth({ name, size, make }: Bomb): Promise<number[]> {
  const [drawn] = fc.sample(dice, 1)
  if (drawn === undefined) throw new Error('nothing was drawn')
  const smallest = make(size, drawn)
  const times = Math.min(200, Math.max(1, Math.ceil(LEAST_MS / Math.max(0.2, await cpuOf(smallest, 1)))))
  const sizes: Size[] = []
  for (const step of STEPS) {
    const piece = make(size * step, drawn)
    sizes.push({ piece, medianMs: await cpuOf(piece, times) })
  }
  const found = sizes.map(({ medianMs }) => Math.round(medianMs))
  const ratios: number[] = []
  for (const [at, after] of sizes.entries()) {
    const before = sizes[at - 1]
    if (before === undefined) continue
    ratios.push(await ratioOf(`${name}, ${JSON.stringify(drawn)}, doubling ${at}`, before, after, times))
  }
  console.log(`| ${name} | ${found.join(' ')} | ${Math.max(...ratios).toFixed(2)} |`)
  return found
}

/** What else the machine does may spoil a measurement, but not eight of them. */
async function ratioOf(name: string, before: Size, after: Size, times: number): Promise<number> {
  const seen = [after.medianMs / before.medianMs]
  while ((seen.at(-1) ?? 0) > RATIO_MAX) {
    if (seen.length === TRIES)
      expect.fail(`${name} takes ${seen.map((ratio) => ratio.toFixed(2)).join(', ')} times as long`)
    const again = await cpuOf(before.piece, times)
    seen.push((await cpuOf(after.piece, times)) / again)
  }
  return seen.at(-1) ?? 0
}

/** The median of five measurements of equal work in one new process, without the process's own start. */
export function cpuOf(piece: Piece, times: number): Promise<number> {
  const child = fork(join(import.meta.dirname, 'measured-child.mjs'), {
    serialization: 'advanced',
    // The collector copies more once a piece outgrows the young generation: one of a fixed size keeps that step out of the ratios.
    execArgv: ['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
  })
  return new Promise((resolve, reject) => {
    child.once('message', ({ cpuMs }: { cpuMs: number[] }) => {
      child.kill()
      resolve(cpuMs.toSorted((a, b) => a - b)[Math.floor(cpuMs.length / 2)] ?? 0)
    })
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    child.send({ ...piece, times })
  })
}
