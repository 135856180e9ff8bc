import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Marks a data directory as in use by this process; throws when another live process has it. Call the result to give it back. */
export function lockInstance(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true })
  const holder = holderOf(file)
  if (holder !== undefined) {
    throw new Error(
      `a stack already runs on ${dirname(file)} (process ${holder}): stop it, or set DATA_DIR and PORT_BASE to run a second one`,
    )
  }
  writeFileSync(file, String(process.pid))
  return () => rmSync(file, { force: true })
}

function holderOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    if (pid === process.pid || !(pid > 0)) return undefined
    process.kill(pid, 0)
    return pid
  } catch {
    return undefined
  }
}
