import type { Selectable } from 'kysely'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertRow, now, updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ContractRow = Selectable<Database['contracts']>

export const findContract = (tx: Tx, contractId: string) =>
  findRow(tx, 'contracts', { contract_id: contractId })

/** The contract of a task, unless it is void. */
export async function liveContract(tx: Tx, taskId: string): Promise<ContractRow | undefined> {
  return tx
    .selectFrom('contracts')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('state', '<>', 'void')
    .executeTakeFirst()
}

export async function insertContract(
  tx: Tx,
  contract: Pick<ContractRow, 'contract_id' | 'task_id' | 'terms_sha256'>,
): Promise<void> {
  await insertRow(tx, 'contracts', { ...contract, state: 'ready' })
}

/** `ready → accepted`. */
export async function acceptContract(tx: Tx, taskId: string, acceptedBy: string): Promise<void> {
  await tx
    .updateTable('contracts')
    .set({ state: 'accepted', accepted_by: acceptedBy, accepted_at: now })
    .where('task_id', '=', taskId)
    .where('state', '=', 'ready')
    .execute()
}

/**
 * Moves the contract from `accepted` to `sealed` and stores the run contract: the work, its input, its credit and the
 * decision behind it.
 */
export async function sealContract(tx: Tx, taskId: string, runContract: object): Promise<void> {
  await tx
    .updateTable('contracts')
    .set({ state: 'sealed', run_contract: canonicalJson(runContract), sealed_at: now })
    .where('task_id', '=', taskId)
    .where('state', '=', 'accepted')
    .execute()
}

/** Voids a contract that was never sealed. */
export const voidContract = (tx: Tx, taskId: string) =>
  updateRows(tx, 'contracts', { task_id: taskId, state: ['ready', 'accepted'] }, { state: 'void' })
