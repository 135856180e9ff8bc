import { chmodSync, mkdirSync } from 'node:fs'

/** Makes a folder that only our user can read, also where it was there before with other rights. */
export function privateDirectory(path: string, mode = 0o700): void {
  mkdirSync(path, { recursive: true, mode })
  chmodSync(path, mode)
}

/** Runs `start` so that every file which the program it starts makes is ours alone (0600, folders 0700). */
export function withPrivateFiles<T>(start: () => T): T {
  const before = process.umask(0o077)
  try {
    return start()
  } finally {
    process.umask(before)
  }
}
