import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { DomainError } from '#domain/core/errors.ts'
import { draftsOf, promptsOf } from '#domain/drafts/make-drafts.ts'
import { railOf } from '#domain/rails/index.ts'
import { withTexts } from '#domain/rails/input/documents.ts'
import type { Tier, Work } from '#domain/rails/rail.ts'
import { type ReplaySettings, verifyReplayFile } from '#domain/verification/replay-package.ts'
import { checkRows } from '../check-rows.ts'
import type { RowSource } from '../rows.ts'
import { validateWork } from '../validation.ts'
import { workInTier } from '../work-in-tier.ts'
import { type Named, type SeeRow, workOnInput } from '../work-on-rows.ts'
import {
  ANSWER_CHARS_MAX,
  type Answer,
  FILE,
  type FromChild,
  type Job,
  type RailInput,
  type ToChild,
  tooComplex,
} from './job.ts'
import { replaySettings } from './replay-uploads.ts'

// The program of a child process of the pool. It has no environment, and reads no file but the program.
const watchdog = new URL(
  `./watchdog${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
)
new Worker(watchdog, {
  workerData: { parent: process.ppid, cpuMs: Number(process.argv[2]) },
}).unref()

/** Does one job. */
export async function answer(job: Job): Promise<Answer> {
  say({ started: process.pid })
  try {
    const json = JSON.stringify(await outcomeOf(job))
    if (json.length > ANSWER_CHARS_MAX)
      throw tooComplex(`the result has more than ${ANSWER_CHARS_MAX} characters`)
    return { json }
  } catch (error) {
    if (error instanceof DomainError) return { refusal: error.refusal }
    throw error
  }
}

async function outcomeOf(job: Job): Promise<unknown> {
  if (job.kind === 'extract') {
    // Most children need no readers of files, whose modules take long to load.
    const { extract } = await import('../extract/extract.ts')
    return extract(job.mediaType, piecesOf(FILE), job.as)
  }
  if (job.kind === 'draft') {
    const drafted = { ...job, rail: railOf(job.rail), work: job.work as Work<unknown> }
    return job.outputs === null ? promptsOf(drafted) : draftsOf(drafted, job.outputs)
  }
  const sources = sourcesOf(job.lists)
  if (job.kind === 'replay')
    return verifyReplayFile(
      job.file,
      await replaySettings(job.file, job.settings as ReplaySettings, sources),
    )
  if (job.kind === 'check')
    return checkRows(railOf(job.rail), { ...job, source: sources[job.list] as RowSource })
  const rail = railOf(job.rail)
  const named = { sources, extractions: job.extractions ?? [] }
  if (job.kind === 'work') return workInTier(rail, job, named)
  return validateWork(validatedInput(job, named), job.work as Work<unknown>)
}

function validatedInput(
  { rail: key, tier, value, lists }: RailInput & { tier: Tier },
  named: Named,
) {
  const rail = railOf(key)
  return {
    rail,
    tier,
    value: withTexts(rail, value, named.extractions),
    lists: Object.keys(lists),
    again: (see: SeeRow) => workOnInput(rail, value, named, see),
  }
}

function sourcesOf(lists: RailInput['lists']): Record<string, RowSource> {
  return Object.fromEntries(
    Object.entries(lists).map(([list, format]) => [list, { format, stream: streamOf(list) }]),
  )
}

/** The bytes of a list, asked of the parent piece by piece. */
function streamOf(list: string): Readable {
  return Readable.from(piecesOf(list), { objectMode: false })
}

async function* piecesOf(list: string): AsyncGenerator<Uint8Array> {
  for (;;) {
    const next = new Promise<ToChild>((resolve) => {
      const hear = (message: Partial<ToChild> | null) => {
        if (message?.list !== list || message.piece === undefined) return
        process.off('message', hear)
        resolve(message as ToChild)
      }
      process.on('message', hear)
    })
    say({ wants: list })
    const { piece } = await next
    if (piece === null) return
    yield piece
  }
}

function say(message: FromChild): void {
  process.send?.(message)
}
