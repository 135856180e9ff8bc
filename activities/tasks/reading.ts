import type { Kysely } from 'kysely'
import { refuse } from '../../workflows/domain/errors.ts'
import { allowedRecoveries, type TaskExceptionState } from '../../workflows/domain/task-exception.ts'
import { receiptView } from '../receipt-view.ts'
import { type ContractRow, findContract } from '../store/contracts.ts'
import { type Tx, transaction } from '../store/db.ts'
import { listReceipts } from '../store/receipts.ts'
import type { Database } from '../store/schema.ts'
import { listTaskExceptions } from '../store/task-exceptions.ts'
import { listTaskRecords } from '../store/task-records.ts'
import { listLedger, requireTask, type TaskRow } from '../store/tasks.ts'
import { contractView, recordView, taskExceptionView, taskView } from './views.ts'

/** Who asks for something of a task: its agent, the holder of its own token, or an operator. */
export type Asker = { agentId?: string; taskId?: string }

/** What can be read of tasks; each read is one transaction, so that its parts agree. */
export function openTaskReads(db: Kysely<Database>) {
  return {
    task: (taskId: string) => transaction(db, async (tx) => taskView(tx, await requireTask(tx, taskId))),

    ledger: (taskId: string, { from, most }: { from: number; most: number }) =>
      transaction(db, async (tx) => {
        const task = await requireTask(tx, taskId)
        const entries = await listLedger(tx, taskId, { from, most })
        const complete = (entries.at(-1)?.sequence ?? from - 1) >= task.sequence
        const records = (await listTaskRecords(tx, taskId)).map(recordView)
        return { task: await taskView(tx, task), entries, head_hash: task.head_hash, complete, records }
      }),

    contract: (asker: Asker, contractId: string) =>
      transaction(db, async (tx) => {
        const { contract, task } = await ownContract(tx, asker, contractId)
        return { contract: await contractView(tx, contract, task) }
      }),

    /** The closing attestation over the whole ledger, or before that the one of the run. Throws 409 `not_ready`. */
    attestation: (taskId: string) =>
      transaction(db, async (tx) => {
        const task = await requireTask(tx, taskId)
        const subjects = task.run_id === null ? [taskId] : [taskId, task.run_id]
        for (const subject of subjects) {
          const found = (await listReceipts(tx, subject)).find(({ kind }) => kind === 'attestation')
          if (found !== undefined) return receiptView(found.jws)
        }
        throw refuse('not_ready', `the task is ${task.state}`, 'Read the task until it is attested.', {
          extra: { state: task.state },
        })
      }),

    exceptions: (taskId: string, state: TaskExceptionState | undefined) =>
      transaction(db, async (tx) => {
        const rows = await listTaskExceptions(tx, taskId)
        const { waiting_for, waiting_since, gaps, required_action, next_action } = await taskView(
          tx,
          await requireTask(tx, taskId),
        )
        const open = rows.find(({ closed_at }) => closed_at === null)
        return {
          items: rows.filter((row) => state === undefined || row.state === state).map(taskExceptionView),
          allowed_recoveries: open === undefined ? [] : [...allowedRecoveries(open.code)],
          waiting_for,
          waiting_since,
          gaps,
          required_action,
          next_action,
        }
      }),
  }
}

/** The contract and its task, whose row is locked; 404 without it, 403 `not_owner` for who has no part in it. */
export async function ownContract(
  tx: Tx,
  asker: Asker,
  contractId: string,
): Promise<{ contract: ContractRow; task: TaskRow }> {
  const contract = await findContract(tx, contractId)
  if (contract === undefined) throw refuse('not_found', 'no such contract', 'Check the contract id.')
  const task = await requireTask(tx, contract.task_id)
  assertOwner(asker, task)
  return { contract, task }
}

export function assertOwner({ agentId, taskId }: Asker, task: TaskRow): void {
  const own = taskId === undefined ? agentId === undefined || agentId === task.agent_id : taskId === task.task_id
  if (!own) throw refuse('not_owner', 'the task is of another agent', 'Use a credential or token of its own agent.')
}
