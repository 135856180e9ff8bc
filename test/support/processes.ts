import { readdirSync, readFileSync } from 'node:fs'
import type { Part } from '../../worker/stack/part.ts'

/** Stops a part and every process below it without ending them; the result lets them continue. */
export function freeze(part: Part): () => void {
  const pids = descendants(part.pid as number)
  for (const pid of pids) signal(pid, 'SIGSTOP')
  return () => {
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
}

/** One that has ended meanwhile must not keep the others from their signal: a process that stays stopped holds Postgres' memory. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export type Fault = 'killed' | 'stopped'

/** Takes a part away; the result brings it back and touches no other part. */
export async function takeDown(part: Part, fault: Fault): Promise<() => Promise<void>> {
  if (fault === 'stopped') {
    const thaw = freeze(part)
    return async () => thaw()
  }
  await part.kill('SIGKILL')
  return () => restart(part)
}

/** Starts a killed part, as a supervisor does: again when it ended at once, because what it left behind was still going. */
export async function restart(part: Part): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await part.start()
    const failed = await part.waitReady().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failed === undefined) return
    if (attempt === 5 || part.pid !== undefined) throw failed
    await pause(200)
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function descendants(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), parent: parentOf(pid) }))
  const below = (pid: number): number[] => [
    pid,
    ...parents.filter(({ parent }) => parent === pid).flatMap(({ pid }) => below(pid)),
  ]
  return below(root)
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return -1
  }
}
