import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { DomainError } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import { rowsOfSheet } from '#domain/rails/input/uploads.ts'
import { ReplayFile } from '#domain/runs/replay-package.ts'
import type { ReplaySettings } from '#domain/verification/replay-package.ts'
import type { Report } from '#domain/verification/report.ts'
import { extractionsIn, latestInput } from '#domain/verification/rerun.ts'
import { csvOf, type RowSource } from '../rows.ts'
import { workOnUploads } from '../work-on-rows.ts'
import type { RailPool } from './rail-pool.ts'

/**
 * Verifies a replay package in a process of the pool (see `verifyReplayFile`). `files` hold the lists that its input names by
 * their digests: a file whose name ends in `.jsonl` or `.ndjson` is JSON Lines, and the content of another shows its form.
 */
export async function replayApart(
  pool: RailPool,
  file: unknown,
  settings: Omit<ReplaySettings, 'again'>,
  files: readonly string[],
): Promise<Report> {
  const byDigest = new Map<string, string>()
  for (const path of files) byDigest.set(await digestOfFile(path), path)
  const formatOf = (path: string): RowSource['format'] =>
    /\.(jsonl|ndjson)$/.test(path) ? 'jsonl' : 'csv'
  const lists = Object.fromEntries([...byDigest].map(([sha256, path]) => [sha256, formatOf(path)]))
  const streams = Object.fromEntries(
    [...byDigest].map(([sha256, path]) => [sha256, createReadStream(path)]),
  )
  return (await pool.run({ kind: 'replay', file, settings, lists }, streams)) as Report
}

/** The settings with the work done on the sources that the run's input names; as they are where it names none, or another. */
export async function replaySettings(
  file: unknown,
  settings: ReplaySettings,
  byDigest: Readonly<Record<string, RowSource>>,
): Promise<ReplaySettings> {
  const { data } = ReplayFile.safeParse(file)
  const latest = data === undefined ? undefined : latestInput(data.replay_package, settings)
  if (data === undefined || latest === undefined || !('uploads' in latest)) return settings
  const { input, input_sha256, uploads } = latest
  const extractions = extractionsIn(data.replay_package)
  if ('fault' in extractions) return settings
  const { all } = extractions
  const named = Object.entries(uploads).map(
    ([list, named]) => [list, csvOf(rowsOfSheet(all, named)) ?? byDigest[named.sha256]] as const,
  )
  if (named.length === 0 || named.some(([, source]) => source === undefined)) return settings
  const sources = Object.fromEntries(named) as Record<string, RowSource>
  try {
    const done = await workOnUploads(railOf(data.replay_package.rail), input, {
      sources,
      extractions: all,
    })
    return { ...settings, again: { input_sha256, done } }
  } catch (error) {
    if (error instanceof DomainError)
      return { ...settings, again: { input_sha256, done: error.refusal.detail } }
    throw error
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
