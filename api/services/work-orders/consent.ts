import { refuse } from '#domain/core/errors.ts'
import { allowedRecoveries, type RecoveryAction } from '#domain/tasks/exception.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  openTaskException,
  type TaskExceptionRow,
} from '../../../activities/store/tasks/task-exceptions.ts'
import { findDocument, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { listOrderedTasks } from '../../../activities/store/work-orders/work-orders.ts'
import { assertProposed, type DeclineRequest, type RecoveryRequest } from '../tasks/recovery.ts'

type Proposal = { task: TaskRow; exception: TaskExceptionRow; proposed: string }

/** What the holder of an order accepts or declines: one proposed input, by its digest. */
export type Consent = { run_id: string; proposed_input_sha256: string; note: string }

/** The corrected inputs that operators propose for the runs of an order, as its owner sees them. */
export async function proposalViews(tx: Tx, workOrderId: string) {
  const views = []
  for (const { task, exception, proposed } of await proposalsFor(tx, workOrderId))
    views.push({
      run_id: task.run_id ?? '',
      exception_id: exception.exception_id,
      reason: exception.proposal_note ?? exception.detail,
      input_sha256: task.input_sha256 ?? '',
      proposed_input_sha256: proposed,
      proposed_input: (await findDocument(tx, task.task_id, proposed)) as Record<string, unknown>,
    })
  return views
}

type Owner = { workOrderId: string; actor: string }

/** The recovery that a consent asks for; 409 `wrong_state` without a proposal, `evidence_changed` where another one is made now. */
export async function consentedRecovery(
  tx: Tx,
  owner: Owner,
  consent: Consent,
): Promise<Omit<RecoveryRequest, 'recoveryId'>> {
  const { task, exception, proposed } = await proposalOf(tx, owner, consent)
  const recoveries: readonly RecoveryAction[] = allowedRecoveries(exception.code)
  return {
    taskId: task.task_id,
    exceptionId: exception.exception_id,
    action: recoveries.includes('correct_input') ? 'correct_input' : 'supply_evidence',
    input: await findDocument(tx, task.task_id, proposed),
    note: consent.note,
    actor: owner.actor,
    decided: false,
  }
}

/** The proposal that its owner declines; 409 as for a consent. */
export async function declinedProposal(
  tx: Tx,
  owner: Owner,
  { note: reason, ...named }: Consent,
): Promise<Omit<DeclineRequest, 'recoveryId'>> {
  const { task, proposed } = await proposalOf(tx, owner, named)
  return { taskId: task.task_id, actor: owner.actor, proposedSha256: proposed, reason }
}

async function proposalOf(
  tx: Tx,
  { workOrderId }: Owner,
  { run_id, proposed_input_sha256 }: Omit<Consent, 'note'>,
): Promise<Proposal> {
  const found = (await proposalsFor(tx, workOrderId)).find(({ task }) => task.run_id === run_id)
  if (found === undefined)
    throw refuse('wrong_state', {
      detail: 'no operator proposes an input for this run',
      next_action: 'Read the order: GET /api/work-orders names what is proposed.',
    })
  assertProposed(found.proposed, proposed_input_sha256)
  return found
}

async function proposalsFor(tx: Tx, workOrderId: string): Promise<Proposal[]> {
  const found: Proposal[] = []
  for (const task of await listOrderedTasks(tx, workOrderId)) {
    const exception = await openTaskException(tx, task.task_id)
    const proposed = exception?.proposed_input_sha256 ?? null
    if (exception !== undefined && proposed !== null) found.push({ task, exception, proposed })
  }
  return found
}
