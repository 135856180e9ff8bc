import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` under the lock file of `folder`, so that two starts obtain Temporal once. The lock of a dead process is taken over. */
export async function withBuildLock<T>(
  folder: string,
  say: (text: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const file = join(folder, 'lock')
  for (let waited = 0; !take(file); waited++) {
    if (waited % 20 === 0) say(`waiting for another start that obtains Temporal (${file})`)
    await sleep(500)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (isHeld(file)) return false
    rmSync(file, { force: true })
    return false
  }
}

function isHeld(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')) || process.pid, 0)
    return true
  } catch {
    return false
  }
}
