import { resultContractVersion } from '#domain/core/contract-sets.ts'
import { RunContract } from '#domain/runs/run-contract.ts'
import type { Tx } from '../store/postgres/db.ts'
import { liveContract } from '../store/tasks/contracts.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'

/** The contract that is sealed once credit, input and review are complete: the work, its input, its credit and the decision. */
export async function runContractOf(tx: Tx, task: TaskRow): Promise<RunContract> {
  const contract = await liveContract(tx, task.task_id)
  return RunContract.parse({
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
  })
}
