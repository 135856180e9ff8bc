import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { taskTerms } from '../../workflows/domain/task-terms.ts'
import type { Tx } from '../store/db.ts'
import { findDocument, requireTask, storeDocument } from '../store/tasks.ts'
import { contractTerms } from './contract-terms.ts'
import type { TaskDeps } from './deps.ts'
import { moverOf } from './moves.ts'

/** The act that a contract comes of, who prepares and who accepts it, and what is kept of the acceptance. */
export type Agreement = {
  taskId: string
  act: string
  preparedBy: string
  acceptedBy: string
  criteria: readonly string[]
  acceptance: object
}

/** Prepares the contract of a checked task from what was asked for, and accepts it. */
export async function agree(deps: TaskDeps, tx: Tx, agreement: Agreement): Promise<void> {
  const { taskId, act, preparedBy, acceptedBy, criteria, acceptance } = agreement
  const asked = taskTerms.parse(await findDocument(tx, taskId, (await requireTask(tx, taskId)).terms_sha256))
  const contract_id = `ct_${digestOf({ type: 'service.contract.v1', task_id: taskId, call: act })}`
  const terms_sha256 = await storeDocument(tx, taskId, contractTerms(taskId, contract_id, asked, criteria))
  const acceptance_sha256 = await storeDocument(tx, taskId, { ...acceptance, terms_sha256 })
  const move = moverOf(deps, tx, taskId, act)
  await move('contract_prepared', preparedBy, { contract_id, terms_sha256 })
  await move('contract_accepted', acceptedBy, { terms_sha256, acceptance_sha256 })
}
