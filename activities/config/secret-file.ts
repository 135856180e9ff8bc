import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Reads a JSON file, or undefined when there is none. */
export function readSecret<T>(path: string): T | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined
}

/** Writes JSON that only our user can read (mode 0600, folder 0700), whole or not at all; it is on disk when this returns. */
export const writeSecret = (path: string, value: unknown): void =>
  writeWhole(path, `${JSON.stringify(value, null, 2)}\n`)

/** Writes a text as `writeSecret` writes JSON. */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  renameSync(draft, path)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** What the file holds; made and written first when there is none. */
export async function keepSecret<T>(path: string, make: () => T | Promise<T>): Promise<T> {
  const known = readSecret<T>(path)
  if (known !== undefined) return known
  const made = await make()
  writeSecret(path, made)
  return made
}
