import { fork } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Bomb, draws, type Piece } from './bombs.ts'

const STEPS = [1, 4, 16]
/** For four times the size. n·log n gives at most 4.8 and a square 16; data that outgrows a cache takes up to 7. */
const RATIO_MAX = 8
const TRIES = 8

type Size = { piece: Piece; medianMs: number }

/** The processor time of three sizes, each four times the one before it; throws where a step takes too much more, eight times. */
export async function expectGrowth({ name, size, make }: Bomb): Promise<number[]> {
  const [drawn] = fc.sample(draws, 1)
  if (drawn === undefined) throw new Error('nothing was drawn')
  const sizes: Size[] = []
  for (const step of STEPS) {
    const piece = await make(size * step, drawn)
    sizes.push({ piece, medianMs: await cpuOf(piece) })
  }
  const found = sizes.map(({ medianMs }) => Number(medianMs.toPrecision(3)))
  const ratios: number[] = []
  for (const [at, after] of sizes.entries()) {
    const before = sizes[at - 1]
    if (before === undefined) continue
    const label = `${name}, ${JSON.stringify(drawn)}, size ${STEPS[at]}`
    ratios.push(await ratioOf(label, before, after))
  }
  console.log(`| ${name} | ${found.join(' ')} | ${Math.max(...ratios).toFixed(2)} |`)
  return found
}

/** Measures both again while the ratio of their medians is too large: what the machine or the compiler does may spoil one of them. */
async function ratioOf(name: string, before: Size, after: Size): Promise<number> {
  const seen = { before: [before.medianMs], after: [after.medianMs] }
  const ratio = () => median(seen.after) / median(seen.before)
  while (ratio() > RATIO_MAX) {
    if (seen.after.length === TRIES) expect.fail(`${name} takes ${JSON.stringify(seen)}`)
    seen.before.push(await cpuOf(before.piece))
    seen.after.push(await cpuOf(after.piece))
  }
  return ratio()
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** The median of five measurements of equal work in one new process, without the process's own start. */
function cpuOf(piece: Piece): Promise<number> {
  const child = fork(join(import.meta.dirname, 'measured-child.mjs'), {
    serialization: 'advanced',
    // The collector copies more once a piece outgrows the young generation: one of a fixed size keeps that step out of the ratios.
    execArgv: ['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
  })
  return new Promise((resolve, reject) => {
    child.once('message', ({ cpuMs }: { cpuMs: number[] }) => {
      child.kill()
      resolve(median(cpuMs))
    })
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    child.send(piece)
  })
}
