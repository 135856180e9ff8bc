import { digestOf } from '#domain/core/canonical-json.ts'
import { type TaskTerms, taskTerms } from '#domain/tasks/terms.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findDocument, requireTask, storeDocument } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import { contractTerms } from './contract-terms.ts'

/** `eventId` derives from the call or decision that causes the event, so that a repeat finds it; the ledger names `actor`. */
type Named = { taskId: string; eventId: string; actor: string }

/** Stores the terms of a task and its first event. Throws 503 `paused`. */
export async function submitTask(
  deps: TaskDeps,
  tx: Tx,
  { terms, ...named }: Named & { terms: TaskTerms },
) {
  const data = { terms_sha256: await storeDocument(tx, named.taskId, terms) }
  return recordTransition(deps, tx, { ...named, event: 'submit', data })
}

/** The contract that one event prepares for a task always has the same id. */
export const contractIdOf = (task_id: string, call: string): string =>
  `ct_${digestOf({ type: 'service.contract.v1', task_id, call })}`

export type PreparedContract = { contract_id: string; terms_sha256: string }

/** Prepares the contract of a task that passed its preflight. */
export async function prepareContract(
  deps: TaskDeps,
  tx: Tx,
  { criteria, ...named }: Named & { criteria: readonly string[] },
): Promise<PreparedContract> {
  const { taskId, eventId } = named
  const task = await requireTask(tx, taskId)
  const asked = taskTerms.parse(await findDocument(tx, taskId, task.terms_sha256))
  const contract_id = contractIdOf(taskId, eventId)
  const terms = contractTerms({
    taskId,
    contractId: contract_id,
    terms: asked,
    criteria,
    reviewAll: task.review_decision !== 'sandbox_policy',
    model: deps.model,
  })
  const data = { contract_id, terms_sha256: await storeDocument(tx, taskId, terms) }
  await recordTransition(deps, tx, { ...named, event: 'contract_prepared', data })
  return data
}

/** Accepts the contract of a task by the digest of its terms, and stores the acceptance as evidence. */
export async function acceptContract(
  deps: TaskDeps,
  tx: Tx,
  { termsSha256, acceptance, ...named }: Named & { termsSha256: string; acceptance: object },
) {
  const acceptance_sha256 = await storeDocument(tx, named.taskId, acceptance)
  const data = { terms_sha256: termsSha256, acceptance_sha256 }
  return recordTransition(deps, tx, { ...named, event: 'contract_accepted', data })
}

/** A contract with its parties; its events are named after `command`, and `acceptance` is stored as evidence. */
export type Agreement = {
  taskId: string
  command: string
  preparedBy: string
  acceptedBy: string
  criteria: readonly string[]
  acceptance: object
}

/** Prepares the contract of a task that passed its preflight, and accepts it. */
export async function agree(
  deps: TaskDeps,
  tx: Tx,
  { taskId, command, criteria, ...agreement }: Agreement,
): Promise<PreparedContract> {
  const prepared = await prepareContract(deps, tx, {
    taskId,
    eventId: `${command}:contract_prepared`,
    actor: agreement.preparedBy,
    criteria,
  })
  const { terms_sha256 } = prepared
  await acceptContract(deps, tx, {
    taskId,
    eventId: `${command}:contract_accepted`,
    actor: agreement.acceptedBy,
    termsSha256: terms_sha256,
    acceptance: { ...agreement.acceptance, terms_sha256 },
  })
  return prepared
}
