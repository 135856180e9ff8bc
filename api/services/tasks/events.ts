import { digestOf } from '#domain/core/canonical-json.ts'
import { type TaskTerms, taskTerms } from '#domain/tasks/terms.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { findDocument, findTask, storeDocument } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/task/deps.ts'
import type { createTaskGateway } from '../../../temporal/tasks.ts'
import type { TaskSnapshot } from '../../../workflows/task/activities.ts'
import { contractTerms } from './contract-terms.ts'

export type TaskGateway = ReturnType<typeof createTaskGateway>
type EventDeps = Pick<TaskDeps, 'db'> & { gateway: TaskGateway }

/** `eventId` derives from the call, so that a repeated call finds its event; the ledger names `actor`. */
export type EventSource = { eventId: string; actor: string }

/** Starts a task; 503 `paused` for a new one. */
export async function sendSubmit(
  { db, gateway }: EventDeps,
  { taskId, terms }: { taskId: string; terms: TaskTerms },
  source: EventSource,
): Promise<TaskSnapshot> {
  if ((await findTask(db, taskId)) === undefined)
    await assertNotPaused(db, { rail: terms.rail, agentId: terms.agent_id })
  return gateway.submit(taskId, await storeDocument(db, taskId, terms), source)
}

export type PreparedContract = { contract_id: string; terms_sha256: string }
type ContractRequest = { taskId: string; termsSha256: string; criteria: readonly string[] }

/** Stores the terms of a task's contract and sends the event that prepares it. */
export async function sendContractPrepared(
  { db, gateway, model }: EventDeps & Pick<TaskDeps, 'model'>,
  { taskId, termsSha256, criteria }: ContractRequest,
  source: EventSource,
): Promise<PreparedContract> {
  const contract_id = contractIdOf(taskId, source.eventId)
  const asked = taskTerms.parse(await findDocument(db, taskId, termsSha256))
  const terms = contractTerms({
    taskId,
    contractId: contract_id,
    terms: asked,
    criteria,
    reviewAll: (await findTask(db, taskId))?.review_decision !== 'sandbox_policy',
    model,
  })
  const data = { contract_id, terms_sha256: await storeDocument(db, taskId, terms) }
  await gateway.send(taskId, { ...source, event: 'contract_prepared', data })
  return data
}

/** Stores the acceptance as evidence and sends the event that accepts the contract by the digest of its terms. */
export async function sendContractAccepted(
  { db, gateway }: EventDeps,
  { taskId, termsSha256, acceptance }: { taskId: string; termsSha256: string; acceptance: object },
  source: EventSource,
): Promise<TaskSnapshot> {
  const acceptance_sha256 = await storeDocument(db, taskId, acceptance)
  const data = { terms_sha256: termsSha256, acceptance_sha256 }
  return gateway.send(taskId, { ...source, event: 'contract_accepted', data })
}

/** The contract that one call prepares for a task always has the same id. */
export const contractIdOf = (task_id: string, call: string): string =>
  `ct_${digestOf({ type: 'service.contract.v1', task_id, call })}`
