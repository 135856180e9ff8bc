import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { privateDirectory } from './private-directory.ts'

/** A process that has just made its lock has not written its id yet. */
const UNWRITTEN_MS = 5_000

/** Marks a data directory as in use by this process; throws when another live process has it. Call the result to give it back. */
export function lockInstance(file: string): () => void {
  // As root, PostgreSQL runs as a user of its own, which has to get through to its folder.
  privateDirectory(dirname(file), userInfo().uid === 0 ? 0o711 : 0o700)
  if (!take(file)) takeOver(file)
  return () => rmSync(file, { force: true })
}

/** Takes the lock of a process that has died; of several that find it so at once, one does. */
function takeOver(file: string): void {
  const guard = `${file}.taking`
  if (existsSync(guard) && holderOf(guard) === undefined) rmSync(guard, { force: true })
  if (!take(guard)) throw inUse(file, 'unknown')
  try {
    const holder = holderOf(file)
    if (holder !== undefined) throw inUse(file, holder)
    rmSync(file, { force: true })
    if (!take(file)) throw inUse(file, holderOf(file) ?? 'unknown')
  } finally {
    rmSync(guard, { force: true })
  }
}

/** Makes the file with our process id; false when it is there. */
function take(file: string): boolean {
  try {
    const lock = openSync(file, 'wx', 0o600)
    writeSync(lock, String(process.pid))
    closeSync(lock)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

const inUse = (file: string, holder: number | 'unknown') =>
  new Error(
    `a stack already runs on ${dirname(file)} (process ${holder}): stop it, or set DATA_DIR and PORT_BASE to run a second one`,
  )

/** The process that has a lock; undefined where it is dead, or there is none. */
export function holderOf(file: string): number | 'unknown' | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    if (!(pid > 0))
      return Date.now() - statSync(file).mtimeMs < UNWRITTEN_MS ? 'unknown' : undefined
    if (pid === process.pid) return undefined
    process.kill(pid, 0)
    return pid
  } catch (error) {
    // A process of another user lives too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
      ? 'unknown'
      : undefined
  }
}
