import { refuse } from '../../workflows/domain/errors.ts'
import { type TaskEventData, taskTerms } from '../../workflows/domain/task-terms.ts'
import type { Tx } from '../store/db.ts'
import { findDocument, type TaskRow } from '../store/tasks.ts'

/** The row of a task as its stored terms ask for it; a synthetic run is reviewed by the sandbox's own policy. */
export async function submittedTask(
  tx: Tx,
  taskId: string,
  { terms_sha256 }: TaskEventData['submit'],
  moves: Pick<TaskRow, 'state' | 'sequence' | 'head_hash' | 'changed_at'>,
): Promise<TaskRow> {
  const parsed = taskTerms.safeParse(await findDocument(tx, taskId, terms_sha256))
  if (!parsed.success) throw refuse('invalid_request', 'the terms of the task are not there', 'Store the terms first.')
  const { agent_id, rail, tier, usage, on_gaps, callback_url } = parsed.data
  return {
    task_id: taskId,
    agent_id,
    rail,
    tier,
    usage,
    on_gaps,
    callback_url,
    terms_sha256,
    ...moves,
    created_at: moves.changed_at,
    review_decision: usage === 'synthetic' ? 'sandbox_policy' : null,
    resume_state: null,
    input_sha256: null,
    contract_id: null,
    quote_id: null,
    quote_expires_at: null,
    entitlement_id: null,
    run_id: null,
    due_at: null,
  }
}
