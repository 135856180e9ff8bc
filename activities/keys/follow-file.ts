import { statSync } from 'node:fs'

/** What a file holds, read again once it has changed; a change that cannot be read, such as half a copy, waits for the next call. */
export function followFile<T>(path: string, read: () => T): () => T {
  let held: { version: string; value: T } | undefined
  return () => {
    try {
      const file = statSync(path, { bigint: true, throwIfNoEntry: false })
      const version = `${file?.ino} ${file?.size} ${file?.mtimeNs}`
      if (version !== held?.version) held = { version, value: read() }
    } catch (error) {
      if (held === undefined) throw error
    }
    return held.value
  }
}
