import { sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { hasEnded, pilotLimits } from '#domain/pilots/pilot.ts'
import { requireLockedPilot } from '../../../activities/store/pilots/pilots.ts'
import { findPilotRun, insertTrial, listTrials } from '../../../activities/store/pilots/runs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import { findDocument, requireTask } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'

type Trial = { pilotId: string; taskId: string; operatorId: string; note: string }

/**
 * Stores that a synthetic run tries a pilot out, with a receipt that says so: it is no run of the pilot, and its state stays as it
 * is. 404, 409 `wrong_state` for a pilot that has ended, 429 for one trial too many.
 */
export async function recordTrial(
  issuer: ReceiptIssuer,
  tx: Tx,
  { pilotId, taskId, operatorId, note }: Trial,
): Promise<void> {
  const pilot = await requireLockedPilot(tx, pilotId)
  if (hasEnded(pilot.state)) throw refuse('wrong_state', { detail: `the pilot is ${pilot.state}` })
  if ((await listTrials(tx, pilotId)).length >= pilotLimits.trialsMax)
    throw refuse('wrong_state', { detail: `it was tried out ${pilotLimits.trialsMax} times` })
  const facts = {
    pilot_id: pilotId,
    run_id: runIdOf(taskId),
    operator_id: operatorId,
    note_sha256: sha256Hex(note),
  }
  const about = { subject: taskId, kind: 'pilot_trial', usage: 'synthetic', facts } as const
  const receipt_id = receiptId(await issueReceipt(issuer, tx, about))
  const trial = { task_id: taskId, pilot_id: pilotId, operator_id: operatorId, note, receipt_id }
  await insertTrial(tx, trial)
}

/** The input that is stored with a pilot: that of its run; undefined before it has one. */
export async function storedInput(tx: Tx, pilotId: string): Promise<unknown> {
  const run = await findPilotRun(tx, { pilot_id: pilotId })
  if (run === undefined) return undefined
  const { task_id, input_sha256 } = await requireTask(tx, run.task_id)
  return input_sha256 === null ? undefined : findDocument(tx, task_id, input_sha256)
}
