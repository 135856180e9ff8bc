import { oneLine } from '#domain/core/plain-text.ts'
import type { MissingEvidence } from '#domain/core/wait.ts'
import type { Gap } from '#domain/rails/rail.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findRun, latestOutput } from '../store/tasks/runs.ts'

/** A rail reports each code once, with its first places; its detail counts the others. */
const GAPS_MAX = 25
const POINTERS_MAX = 20

/** The gaps of the input that the exception step found in this attempt of the run. */
export async function readGaps(tx: Tx, runId: string): Promise<MissingEvidence[]> {
  const run = await findRun(tx, runId)
  if (run === undefined) return []
  const found = (await latestOutput(tx, run.run_id, run.attempt, 'exception_agent')) as
    | { gaps?: Gap[] }
    | undefined
  return (found?.gaps ?? []).slice(0, GAPS_MAX).map(missing)
}

const missing = ({ code, detail, citations }: Gap): MissingEvidence => ({
  code,
  detail: oneLine(detail, 500),
  pointers: citations.slice(0, POINTERS_MAX).map(({ pointer }) => oneLine(pointer, 300)),
})
