import type { LoopPlace } from '#domain/runs/controlled-loop.ts'
import type { Tx } from '../postgres/db.ts'

/** Work is begun once, and repeated twice where its process died without a verdict. */
const STEP_ATTEMPTS_MAX = 3

type At = LoopPlace & { runId: string; attempt: number }

/** Counts that the work of a step begins; false, and nothing is counted, where it was begun often enough. */
export async function beginAttempt(tx: Tx, { runId, attempt, round, step }: At): Promise<boolean> {
  const counted = await tx
    .insertInto('step_attempts')
    .values({ run_id: runId, attempt, round, step, begun: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'attempt', 'round', 'step'])
        .doUpdateSet(({ eb }) => ({ begun: eb('step_attempts.begun', '+', 1) }))
        .where('step_attempts.begun', '<', STEP_ATTEMPTS_MAX),
    )
    .returning('begun')
    .executeTakeFirst()
  return counted !== undefined
}

/** Takes back the count of work that ended for another reason than its input. */
export async function takeBackAttempt(tx: Tx, { runId, attempt, round, step }: At): Promise<void> {
  await tx
    .updateTable('step_attempts')
    .set(({ eb }) => ({ begun: eb('begun', '-', 1) }))
    .where('run_id', '=', runId)
    .where('attempt', '=', attempt)
    .where('round', '=', round)
    .where('step', '=', step)
    .where('begun', '>', 0)
    .execute()
}
