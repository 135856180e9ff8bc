import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

/** One attempt, and two more if its process died without a result. */
const STEP_ATTEMPTS_MAX = 3

type At = {
  runId: string
  attempt: number
  round: number
  step: Database['step_attempts']['step']
}

/** Counts another attempt at a step. Returns false and counts nothing if no attempt is left. */
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

/** Removes the count of an attempt that failed for a reason other than its input. */
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
