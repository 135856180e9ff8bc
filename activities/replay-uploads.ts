import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { DomainError } from '../workflows/domain/errors.ts'
import { railOf } from '../workflows/domain/rails/index.ts'
import type { ReplayPackage } from '../workflows/domain/replay-package.ts'
import { type DoneAgain, type Given, latestInput } from '../workflows/domain/verification/rerun.ts'
import type { RowSource } from './rails/rows.ts'
import { workOnUploads } from './rails/work-on-rows.ts'

/**
 * Does the work of a replay package on the files that its run's input names by their digests, as streams; undefined where it
 * names none, or one that no file has. A file whose name ends in `.csv` is CSV, any other JSON Lines.
 */
export async function workOnFiles(
  made: ReplayPackage,
  given: Given,
  files: readonly string[],
): Promise<DoneAgain | undefined> {
  const latest = latestInput(made, given)
  if (!('uploads' in latest) || Object.keys(latest.uploads).length === 0) return undefined
  const { input, input_sha256, uploads } = latest
  const byDigest = new Map<string, string>()
  for (const file of files) byDigest.set(await digestOfFile(file), file)
  const sources: Record<string, RowSource> = {}
  for (const [list, sha256] of Object.entries(uploads)) {
    const file = byDigest.get(sha256)
    if (file === undefined) return undefined
    sources[list] = { format: file.endsWith('.csv') ? 'csv' : 'jsonl', stream: createReadStream(file) }
  }
  try {
    return { input_sha256, done: await workOnUploads(railOf(made.rail), input, sources) }
  } catch (error) {
    if (error instanceof DomainError) return { input_sha256, done: error.refusal.detail }
    throw error
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
