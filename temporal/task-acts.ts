import { listPauses } from '../activities/store/controls.ts'
import { findDocument, findTask, storeDocument } from '../activities/store/tasks.ts'
import { contractTerms } from '../activities/tasks/contract-terms.ts'
import type { TaskDeps } from '../activities/tasks/deps.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import { type TaskTerms, taskTerms } from '../workflows/domain/task-terms.ts'
import type { TaskSnapshot } from '../workflows/task/ports.ts'
import type { createTaskGateway } from './tasks.ts'

export type TaskGateway = ReturnType<typeof createTaskGateway>
export type ActDeps = Pick<TaskDeps, 'db'> & { gateway: TaskGateway }
/** `eventId` is named after the call that an act is done for, so that a repeat finds what was done; `actor` stands in the ledger. */
export type Act = { eventId: string; actor: string }

/** Throws 503 `paused` while nothing new may begin; what was begun before goes on. */
export async function assertOpen(db: TaskDeps['db']): Promise<void> {
  const pause = (await listPauses(db)).find(({ scope }) => scope === 'service')
  if (pause !== undefined) throw refuse('paused', `paused: ${pause.reason}`, 'Repeat the call once it is resumed.')
}

/** Begins a task; 503 `paused` for a new one. */
export async function submitTask(
  { db, gateway }: ActDeps,
  taskId: string,
  terms: TaskTerms,
  act: Act,
): Promise<TaskSnapshot> {
  if ((await findTask(db, taskId)) === undefined) await assertOpen(db)
  return gateway.submit(taskId, await storeDocument(db, taskId, terms), act)
}

export type PreparedContract = { contract_id: string; terms_sha256: string }

/** Prepares the contract of a task from what was asked for. */
export async function prepareContract(
  { db, gateway }: ActDeps,
  { task_id, terms_sha256: asked }: { task_id: string; terms_sha256: string },
  criteria: readonly string[],
  act: Act,
): Promise<PreparedContract> {
  const contract_id = `ct_${digestOf({ type: 'service.contract.v1', task_id, call: act.eventId })}`
  const terms = taskTerms.parse(await findDocument(db, task_id, asked))
  const terms_sha256 = await storeDocument(db, task_id, contractTerms(task_id, contract_id, terms, criteria))
  const data = { contract_id, terms_sha256 }
  await gateway.send(task_id, { ...act, event: 'contract_prepared', data })
  return data
}

/** Accepts the contract of a task by the digest of its terms; who doubts the acceptance later finds it stored. */
export async function acceptContract(
  { db, gateway }: ActDeps,
  taskId: string,
  { terms_sha256, acceptance }: { terms_sha256: string; acceptance: object },
  act: Act,
): Promise<TaskSnapshot> {
  const data = { terms_sha256, acceptance_sha256: await storeDocument(db, taskId, acceptance) }
  return gateway.send(taskId, { ...act, event: 'contract_accepted', data })
}
