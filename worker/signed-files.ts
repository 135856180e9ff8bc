import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { readJsonFile } from '../activities/config/config.ts'

const BYTES_MAX = 256 * 1024 * 1024

/** The text of a file, or the parts of a zip; undefined for what is neither. Throws for a file of more than 256 MiB. */
export async function readContent(path: string) {
  if (statSync(path).size > BYTES_MAX)
    throw new Error(`${path}: it has more than ${BYTES_MAX} bytes`)
  const bytes = readFileSync(path)
  const { isZip, unzipPackage } = await import('../activities/runs/unzip-package.ts')
  if (isZip(bytes)) return unzipPackage(bytes)
  const { textOf } = await import('#domain/core/strict-json.ts')
  return textOf(bytes)
}

/** The keys of a key document that was saved before. Throws where the file is none. */
export const readKeys = (path: string): Promise<KeySet> =>
  keysOf(readJsonFile(path, z.unknown()), path)

/** The keys that a service publishes now. */
export async function fetchKeys(baseUrl: string): Promise<KeySet> {
  const { readPublic } = await import('./witness/log-reader.ts')
  const { jsonOf, textOf } = await import('#domain/core/strict-json.ts')
  const { keysUrlOf } = await import('#domain/verification/key-document.ts')
  const url = keysUrlOf(baseUrl.replace(/\/+$/, ''))
  const bytes = await readPublic(url)
  return keysOf(bytes && jsonOf(textOf(bytes)), url)
}

async function keysOf(value: unknown, from: string): Promise<KeySet> {
  const { readKeyDocument } = await import('#domain/verification/key-document.ts')
  const keys = readKeyDocument(value)
  if (keys === undefined) throw new Error(`${from}: it is no key document of the service`)
  return keys
}
