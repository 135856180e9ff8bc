import { refuse } from '../../workflows/domain/errors.ts'
import type { TaskEventData } from '../../workflows/domain/task-terms.ts'
import type { Tx } from '../store/db.ts'
import { findLoopStep, requireRun, restartRun } from '../store/runs.ts'

type Prepared = TaskEventData['replay_prepared']

/** A run goes on where it stopped, or from its beginning; 400 for another step. */
export async function assertStep(tx: Tx, runId: string | null, { from_step }: Prepared): Promise<void> {
  if (from_step === undefined) return
  const steps = runId === null ? [] : [...new Set(['intake', (await requireRun(tx, runId)).step])]
  if (steps.includes(from_step)) return
  const allowed = steps.filter((step) => step !== null).join(' or ')
  throw refuse(
    'invalid_request',
    `the run does not go on at ${from_step}`,
    allowed === '' ? 'Send no from_step: the task has no run.' : `Send ${allowed}, or no from_step.`,
    { errors: [{ pointer: '/from_step', message: allowed || 'there is no run' }] },
  )
}

/** The run begins anew where that is asked for, and where the step that it stands at has ended. */
export async function prepareRun(tx: Tx, runId: string | null, { from_step }: Prepared): Promise<void> {
  if (runId === null) return
  const { attempt, round, step } = await requireRun(tx, runId)
  if (step === null) return
  const ended = (await findLoopStep(tx, { runId, attempt, round, step }))?.verdict != null
  if (ended || from_step === 'intake') await beginAnew(tx, runId)
}

/** Another input is read from the beginning. */
export async function replayRun(
  tx: Tx,
  runId: string | null,
  { input_sha256 }: TaskEventData['replayed'],
): Promise<void> {
  if (runId !== null && input_sha256 !== undefined) await beginAnew(tx, runId)
}

/** Another attempt, unless this one has not read its input yet. */
async function beginAnew(tx: Tx, runId: string): Promise<void> {
  const { attempt, round, step } = await requireRun(tx, runId)
  if (step === 'intake' && (await findLoopStep(tx, { runId, attempt, round, step })) === undefined) return
  await restartRun(tx, runId)
}
