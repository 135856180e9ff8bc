import { refuse } from '#domain/core/errors.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findLoopStep, requireRun, restartRun } from '../store/runs/runs.ts'

type Prepared = TaskEventData['replay_prepared']

/** A run continues where it stopped, or restarts; 400 for another step. */
export async function assertStep(
  tx: Tx,
  runId: string | null,
  { from_step }: Prepared,
): Promise<void> {
  if (from_step === undefined) return
  const detail = `the run cannot continue at ${from_step}`
  if (runId === null)
    throw refuse('invalid_request', {
      detail,
      next_action: 'Send no from_step: the task has no run.',
      errors: [{ pointer: '/from_step', message: 'there is no run' }],
    })
  const { step } = await requireRun(tx, runId)
  if (from_step === 'intake' || from_step === step) return
  const allowed = step === null || step === 'intake' ? 'intake' : `intake or ${step}`
  throw refuse('invalid_request', {
    detail,
    next_action: `Send ${allowed}, or no from_step.`,
    errors: [{ pointer: '/from_step', message: allowed }],
  })
}

/** Restarts the run where that is requested, and where its current step has ended. */
export async function prepareRun(
  tx: Tx,
  runId: string | null,
  { from_step }: Prepared,
): Promise<void> {
  if (runId === null) return
  const { attempt, round, step } = await requireRun(tx, runId)
  if (step === null) return
  const ended = (await findLoopStep(tx, { runId, attempt, round, step }))?.verdict != null
  if (ended || from_step === 'intake') await restart(tx, runId)
}

/** Restarts the run where it gets a new input. */
export async function replayRun(
  tx: Tx,
  runId: string | null,
  { input_sha256 }: TaskEventData['replayed'],
): Promise<void> {
  if (runId !== null && input_sha256 !== undefined) await restart(tx, runId)
}

/** Begins another attempt, unless this one has not read its input yet. */
async function restart(tx: Tx, runId: string): Promise<void> {
  const { attempt, round, step } = await requireRun(tx, runId)
  if (step === 'intake' && (await findLoopStep(tx, { runId, attempt, round, step })) === undefined)
    return
  await restartRun(tx, runId)
}
