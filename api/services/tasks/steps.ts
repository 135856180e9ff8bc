import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listStepOutputs } from '../../../activities/store/runs/runs.ts'

const STEPS_MAX = 100
const OUTPUT_BYTES_MAX = 16 * 1024

/** The last steps of a run as callers see them; the output of the worker is the result, which its package has. */
export async function takenSteps(tx: Tx, runId: string | null) {
  if (runId === null) return []
  const shown = { most: STEPS_MAX, bytesMax: OUTPUT_BYTES_MAX }
  const steps = await listStepOutputs(tx, runId, shown)
  return steps.map(({ step, attempt, round, verdict, started_at, finished_at, ...rest }) => ({
    name: step,
    attempt: attempt + 1,
    round,
    verdict,
    started_at: started_at.toISOString(),
    ended_at: finished_at?.toISOString() ?? null,
    tries: rest.tries,
    decided_by: rest.decided_by,
    output: rest.output ?? null,
    output_sha256: rest.output_sha256,
    output_bytes: rest.output_bytes,
  }))
}
