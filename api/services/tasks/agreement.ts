import { taskTerms } from '#domain/tasks/terms.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findDocument, requireTask, storeDocument } from '../../../activities/store/tasks/tasks.ts'
import { eventRecorder } from '../../../activities/task/automatic-transitions.ts'
import type { TaskDeps } from '../../../activities/task/deps.ts'
import { contractTerms } from './contract-terms.ts'
import { contractIdOf } from './events.ts'

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
export async function agree(deps: TaskDeps, tx: Tx, agreement: Agreement): Promise<void> {
  const { taskId, command, criteria } = agreement
  const task = await requireTask(tx, taskId)
  const asked = taskTerms.parse(await findDocument(tx, taskId, task.terms_sha256))
  const contract_id = contractIdOf(taskId, command)
  const terms = contractTerms({
    taskId,
    contractId: contract_id,
    terms: asked,
    criteria,
    reviewAll: task.review_decision !== 'sandbox_policy',
    model: deps.model,
  })
  const terms_sha256 = await storeDocument(tx, taskId, terms)
  const acceptance = { ...agreement.acceptance, terms_sha256 }
  const acceptance_sha256 = await storeDocument(tx, taskId, acceptance)
  const record = eventRecorder(deps, tx, { taskId, command })
  await record('contract_prepared', agreement.preparedBy, { contract_id, terms_sha256 })
  await record('contract_accepted', agreement.acceptedBy, { terms_sha256, acceptance_sha256 })
}
