import { resultContractVersion } from '../../workflows/domain/contract-sets.ts'
import { liveContract } from '../store/contracts.ts'
import type { Tx } from '../store/db.ts'
import type { TaskRow } from '../store/tasks.ts'

/** What is sealed when credit, input and review are there: what is done, on what, for which credit, by whose decision. */
export async function runContractOf(tx: Tx, task: TaskRow): Promise<object> {
  const contract = await liveContract(tx, task.task_id)
  return {
    contract_id: contract?.contract_id ?? null,
    version: 'v2',
    task_id: task.task_id,
    rail: task.rail,
    tier: task.tier,
    usage: task.usage,
    terms_sha256: contract?.terms_sha256 ?? null,
    accepted_by: contract?.accepted_by ?? null,
    input_sha256: task.input_sha256,
    review_decision: task.review_decision,
    payment: { quote_id: task.quote_id, entitlement_id: task.entitlement_id },
    result_contract: resultContractVersion,
  }
}
