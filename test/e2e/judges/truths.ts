import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The judges are Python programs of their own; where there is no Python they are left out. */
export const hasPython = spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0

/** What a judge prints for a seed: an input for a rail, and the truths that were planted in it. */
export function judged<Judged>(rail: string, seed: number): Judged {
  const program = join(import.meta.dirname, `${rail}.py`)
  const printed = execFileSync('python3', [program, String(seed)], { maxBuffer: 2 ** 28 })
  return JSON.parse(printed.toString('utf8')) as Judged
}
