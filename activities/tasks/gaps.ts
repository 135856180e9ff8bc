import { oneLine } from '#domain/core/plain-text.ts'
import type { Gap } from '#domain/rails/rail.ts'
import type { MissingEvidence } from '#domain/reviews/wait.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findRun, latestOutput } from '../store/runs/runs.ts'

const POINTERS_MAX = 20

/** The first gaps of the input that the exception step found in this attempt of the run, needed ones before others. */
export async function readGaps(tx: Tx, runId: string): Promise<MissingEvidence[]> {
  const run = await findRun(tx, runId)
  if (run === undefined) return []
  const found = (await latestOutput(tx, run.run_id, run.attempt, 'exception_agent')) as
    | { gaps?: { first: Gap[] } }
    | undefined
  return (found?.gaps?.first ?? []).map(missing)
}

const missing = ({ code, kind, detail, pointer, filled_by, citations }: Gap): MissingEvidence => ({
  code,
  kind,
  detail: oneLine(detail, 500),
  filled_by: oneLine(filled_by, 300),
  pointers: [...new Set([pointer, ...citations.map((citation) => citation.pointer)])]
    .slice(0, POINTERS_MAX)
    .map((one) => oneLine(one, 300)),
})
