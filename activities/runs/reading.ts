import type { Kysely } from 'kysely'
import { refuse } from '../../workflows/domain/errors.ts'
import { receiptId } from '../../workflows/domain/ids.ts'
import type { MadePackage } from '../../workflows/domain/return-package.ts'
import type { TaskState } from '../../workflows/domain/task-lifecycle.ts'
import { publishedKey } from '../keys/published-key.ts'
import { returnPackageView } from '../return-package.ts'
import { countRunsOf, findTaskOfRun, listRunsOf, type RunFilter, readSequence } from '../store/agent-runs.ts'
import { type Changes, lookUntil } from '../store/changes.ts'
import { type Tx, transaction } from '../store/db.ts'
import { findReceipt, listReceipts, type ReceiptRow } from '../store/receipts.ts'
import { findReturnPackage } from '../store/runs.ts'
import type { Database } from '../store/schema.ts'
import { listPublicKeys } from '../store/signing-keys.ts'
import { lockTask, type TaskRow } from '../store/tasks.ts'
import { runIdOf } from '../tasks/facts.ts'
import { type Asker, assertOwner } from '../tasks/reading.ts'
import { taskView } from '../tasks/views.ts'
import { completionOf } from './completion.ts'
import type { PackageChecks } from './package-checks.ts'
import { type RunViewDeps, runView } from './views.ts'

export type RunReadDeps = RunViewDeps & {
  readonly db: Kysely<Database>
  readonly changes: Changes
  readonly packages: PackageChecks
}

/** What can be read of runs; each read is one transaction, so that its parts agree. */
export function openRunReads(deps: RunReadDeps) {
  const { db } = deps
  const view = (asker: Asker, runId: string) =>
    transaction(db, async (tx) => runView(deps, tx, await ownRun(tx, asker, runId)))
  return {
    run: view,

    /** The run, with what it has to meet. */
    completion: (asker: Asker, runId: string) =>
      transaction(db, async (tx) => {
        const task = await ownRun(tx, asker, runId)
        return { run: await runView(deps, tx, task), completion: await completionOf(tx, task) }
      }),

    /** The run once it has moved, or as it is when the time is up. */
    runMoved: async (asker: Asker, runId: string, waitMs: number) => {
      const { task_id, sequence, state } = await transaction(db, (tx) => ownRun(tx, asker, runId))
      if (state !== 'closed' && waitMs > 0) await moved(deps, task_id, sequence, waitMs)
      return view(asker, runId)
    },

    runs: (filter: RunFilter, page: { offset: number; limit: number }) =>
      transaction(db, async (tx) => {
        const totals = await countRunsOf(tx, filter)
        const items = []
        for (const task of await listRunsOf(tx, filter, page)) items.push(await runView(deps, tx, task))
        const total = Object.values(totals).reduce((sum, count) => sum + count, 0)
        return { items, ...page, total, totals }
      }),

    /** The package of an attested run with our own judgement of it. */
    returnPackage: async (asker: Asker, runId: string) => {
      const { keys, ...read } = await transaction(db, (tx) => readPackage(deps, tx, asker, runId))
      return { ...read, completion: await deps.packages.verify({ view: read.return_package, keys: { keys } }) }
    },
  }
}

/** The task of a run, locked, so that what is read beside it is of one moment. 404 without it, 403 `not_owner`. */
export async function ownRun(tx: Tx, asker: Asker, runId: string): Promise<TaskRow> {
  const found = await findTaskOfRun(tx, runId)
  const task = found && (await lockTask(tx, found.task_id))
  if (task === undefined) throw refuse('not_found', 'no such run', 'Check the run id.')
  assertOwner(asker, task)
  return task
}

/** Waits until the ledger of a task goes on; whoever moves it says so, and a word that is lost is looked for now and then. */
export async function moved(
  { db, changes }: RunReadDeps,
  taskId: string,
  sequence: number,
  waitMs: number,
): Promise<void> {
  await lookUntil(changes, taskId, waitMs, async () => (await readSequence(db, taskId)) !== sequence || undefined)
}

/** What a run without its package waits for: an exception does not end by itself. */
async function notAttested(tx: Tx, task: TaskRow) {
  const { state, next_action, ...shown } = await taskView(tx, task)
  const { waiting_for, required_action, gaps } = shown
  const extra = { state: state satisfies TaskState, waiting_for, required_action, gaps }
  return refuse('not_ready', `the run is ${state}`, next_action, { extra })
}

async function readPackage(deps: RunReadDeps, tx: Tx, asker: Asker, runId: string) {
  const task = await ownRun(tx, asker, runId)
  const row = await findReturnPackage(tx, runId)
  const attestation = (await listReceipts(tx, runId)).find(({ kind }) => kind === 'attestation')
  if (row === undefined || attestation === undefined) throw await notAttested(tx, task)
  const { settlement_receipt_id, usage_receipt_id } = await runView(deps, tx, task)
  const receipts = { settlement_receipt_id, usage_receipt_id }
  const return_package = returnPackageView(row.package as MadePackage, row.completion_signature, receipts)
  const keys = (await listPublicKeys(tx)).filter(({ ring }) => ring === 'receipt').map(publishedKey)
  return { return_package, keys, attestation: receiptId(attestation.jws) }
}

/** The receipts of a run's contract, money, work and task, as far as there are any. */
export async function receiptsOfRun(deps: RunViewDeps, tx: Tx, task: TaskRow): Promise<ReceiptRow[]> {
  const of = (subject: string) => listReceipts(tx, subject)
  const { settlement_receipt_id, usage_receipt_id } = await runView(deps, tx, task)
  const money = [settlement_receipt_id, usage_receipt_id].flatMap((id) => (id === null ? [] : [id]))
  const paid = await Promise.all(money.map((receipt_id) => findReceipt(tx, { receipt_id })))
  const made = [...(await of(runIdOf(task.task_id))), ...(await of(task.task_id))]
  return [...(await of(task.contract_id ?? '')), ...paid.filter((row) => row !== undefined), ...made]
}
