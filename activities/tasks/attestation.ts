import { resultContractVersion } from '#domain/core/contract-sets.ts'
import { receiptId } from '#domain/core/ids.ts'
import type { Tx } from '../store/postgres/db.ts'
import { listReceipts } from '../store/receipts/receipts.ts'
import { hasEvent } from '../store/runs/agent-runs.ts'
import { findReturnPackage } from '../store/runs/runs.ts'
import type { TaskDeps } from './deps.ts'
import { writeTaskReceipt } from './receipt.ts'
import type { Transition } from './task-event.ts'

/** Whether a closed task has completed: one that was given up did so only if its receipts had been issued. */
export const hasCompleted = async (tx: Tx, { before, after }: Transition): Promise<boolean> =>
  before?.state !== 'failed' || (await hasEvent(tx, after.task_id, 'receipts_issued'))

/** Attests a closed task: its outcome, the attestation of its run, and the head of its ledger, which no entry follows. */
export async function attestTask(deps: TaskDeps, tx: Tx, transition: Transition): Promise<void> {
  const { after, entry, nowSeconds } = transition
  const facts = {
    task_id: after.task_id,
    outcome: (await hasCompleted(tx, transition)) ? 'completed' : 'failed',
    run_id: after.run_id,
    ...(await resultOf(tx, after.run_id)),
    ledger_head: entry.hash,
    ledger_entries: entry.sequence,
  }
  const subject = after.task_id
  await writeTaskReceipt(deps, tx, { task: after, subject, kind: 'attestation', facts, nowSeconds })
}

/** What the attestation of a run says of its result; nothing where the task ended without one. */
async function resultOf(tx: Tx, runId: string | null) {
  const receipts = runId === null ? [] : await listReceipts(tx, runId)
  const attested = receipts.find(({ kind }) => kind === 'attestation')
  const made = await findReturnPackage(tx, runId ?? '')
  if (attested === undefined || made === undefined) return {}
  const { proof_hash, completion_signature, result_sha256 } = made
  return {
    run_attestation_id: receiptId(attested.jws),
    result_contract: resultContractVersion,
    proof_hash,
    completion_signature,
    result_sha256,
  }
}
