import { Readable } from 'node:stream'
import { DomainError, refuse } from '#domain/core/errors.ts'
import type { Work } from '#domain/rails/rail.ts'
import { oversize } from '#domain/rails/work/tiers.ts'
import type { StepProgress } from '#domain/runs/progress.ts'
import type { Check } from '#domain/tasks/terms.ts'
import { countingCompute } from '../store/calls/compute.ts'
import { beginAttempt, takeBackAttempt } from '../store/tasks/step-attempts.ts'
import { checksIn, workIn } from './caged-answers.ts'
import type { CurrentRun, StepResult } from './current-run.ts'
import { inputBytes, openUploads, readRunInput } from './input.ts'
import type { RailInput } from './isolation/job.ts'
import { queueOf, type RunPools } from './isolation/pools.ts'
import { ChildDied, type RailPool } from './isolation/rail-pool.ts'

export type Isolation = {
  pools: RunPools
  signal: AbortSignal | undefined
  report: (progress: StepProgress) => void
}

/** Does the work of the run's rail in a process of the pool. */
export async function workApart(
  { pools, signal, report }: Isolation,
  current: CurrentRun,
): Promise<Work<unknown>> {
  const { input, streams } = await opened(current, report)
  const { tier } = current.task
  const job = { kind: 'work', tier, ...input } as const
  return workIn(await inQueue(pools, current, (queue) => queue.run(job, streams, signal)))
}

/** Makes the checks of the validator in a process of the pool. */
export async function validateApart(
  { pools, signal, report }: Isolation,
  current: CurrentRun,
  work: unknown,
): Promise<Check[]> {
  const { input, streams } = await opened(current, report)
  const { tier } = current.task
  const job = { kind: 'validate', tier, work, ...input } as const
  return checksIn(await inQueue(pools, current, (queue) => queue.run(job, streams, signal)))
}

/**
 * Does work in the queue of its run, and counts its processor time for the network of strangers. A revision has processes of its own:
 * what a process that was used before may have done wrong is not done again.
 */
const inQueue = (
  pools: RunPools,
  { db, run, task }: CurrentRun,
  work: (queue: Pick<RailPool, 'run'>) => Promise<unknown>,
): Promise<unknown> =>
  countingCompute(db, task.network, (spend) => {
    const queue = queueOf(pools, { task, spend })
    return work(run.round === 0 ? queue : queue.apart)
  })

async function opened({ db, task }: CurrentRun, report: Isolation['report']) {
  const run = await readRunInput(db, task)
  const { rail, value, extractions } = run
  const bytes = await inputBytes(db, task.agent_id, rail, value)
  const wrong = oversize(rail, task.tier, { input: value, bytes })
  if (wrong !== null) throw refuse('input_rejected', { detail: wrong.message })
  const sources = Object.entries(await openUploads(db, task.agent_id, run))
  const lists = Object.fromEntries(sources.map(([list, { format }]) => [list, format]))
  const input: RailInput = { rail: rail.key, value, lists, extractions }
  const bytes_total = sources.reduce((sum, [, { bytes }]) => sum + bytes, 0)
  let bytes_read = 0
  const count = (bytes: number): void => {
    bytes_read += bytes
    report({ bytes_read, bytes_total })
  }
  const streams = sources.map(([list, { stream }]) => [list, counted(stream, count)] as const)
  return { input, streams: Object.fromEntries(streams) }
}

/** The same bytes; each piece is counted when it is read. */
function counted(stream: Readable, count: (bytes: number) => void): Readable {
  async function* pieces() {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      count(piece.length)
      yield piece
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

/**
 * Counts an attempt before it begins, and ends the step as `too_complex` at a limit, or where this attempt would be one too many.
 * An attempt that fails for an internal reason is not counted.
 */
export async function attempted(
  { db, run }: CurrentRun,
  step: 'worker' | 'validator',
  compute: () => Promise<StepResult>,
): Promise<StepResult> {
  const { run_id: runId, attempt, round } = run
  const at = { runId, attempt, round, step }
  if (!(await beginAttempt(db, at)))
    return tooComplex('the work was begun three times and never came to its end')
  try {
    return await compute()
  } catch (error) {
    if (error instanceof DomainError && error.refusal.code === 'input_too_complex')
      return tooComplex(error.refusal.detail)
    if (!(error instanceof ChildDied)) await takeBackAttempt(db, at).catch(() => undefined)
    throw error
  }
}

const tooComplex = (errors: string): StepResult => ({
  verdict: 'too_complex',
  output: { errors },
  decidedBy: null,
})
