import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file that only our user can read, whole or not at all; once this returns, it survives a power failure. */
export function writeDurable(path: string, text: string): void {
  const draft = `${path}.${process.pid}`
  withFile(draft, 'w', (file) => writeFileSync(file, text))
  renameSync(draft, path)
  // The new name is in the folder, which is written to disk separately.
  withFile(dirname(path), 'r', () => undefined)
}

function withFile(path: string, flags: 'w' | 'r', write: (file: number) => void): void {
  const file = openSync(path, flags, 0o600)
  try {
    write(file)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
