import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { rails } from '#domain/rails/index.ts'
import type { MadePackage, ReturnPackage } from '#domain/runs/return-package.ts'
import { taskStanding } from '#domain/tasks/lifecycle.ts'
import { publishedKey } from '../../../activities/keys/published-key.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { returnPackageView } from '../../../activities/runs/isolation/return-package-zip.ts'
import type { PackageThreads } from '../../../activities/runs/package-threads.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import { type Changes, lookUntil } from '../../../activities/store/postgres/changes.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { listDecisionsAbout } from '../../../activities/store/reviews/review-decisions.ts'
import {
  countRunsOf,
  listRunsOf,
  type RunFilter,
  readSequence,
} from '../../../activities/store/runs/agent-runs.ts'
import { findPackageId } from '../../../activities/store/runs/runs.ts'
import { listTaskExceptions } from '../../../activities/store/tasks/task-exceptions.ts'
import {
  findTaskEvent,
  listLedger,
  requireTask,
  type TaskRow,
} from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { disputeClosed } from '../../../activities/tasks/exceptions.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { writeTaskReceipt } from '../../../activities/tasks/receipt.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import type { TaskActor, TaskCaller } from '../tasks/access.ts'
import { recordAudit } from '../tasks/audit.ts'
import { contractOf } from '../tasks/contract-terms.ts'
import { deliveredPackage, isDelivered } from '../tasks/outcome.ts'
import { recordOf } from '../tasks/replay-package.ts'
import { taskExceptionView, taskView } from '../tasks/views.ts'
import { cancelRun } from './cancel.ts'
import { completionOf } from './completion.ts'
import { ownRun } from './own-run.ts'
import { receiptsOfRun } from './receipts.ts'
import { type Submission, submitRun } from './submit.ts'
import { type RunViewDeps, receiptActions, runView } from './views.ts'

/** What stands around the package of a locked task: its order, reviews, receipts, and the record that proves them. */
async function readRecord({ issuer }: Pick<TaskDeps, 'issuer'>, tx: Tx, taskId: string) {
  const task = await requireTask(tx, taskId)
  const replay = await recordOf(issuer, tx, task)
  const terms = await contractOf(tx, taskId)
  const { criteria } = await completionOf(tx, task)
  const decisions = await listDecisionsAbout(tx, [taskId, runIdOf(taskId)])
  return {
    replay,
    task: await taskView(tx, task),
    ordered: terms === undefined ? [] : terms.scope.filter((line) => line !== ''),
    criteria,
    review_policy: terms?.review_policy ?? null,
    reviews: decisions.map(({ decided_at, ...decision }) => ({
      ...decision,
      decided_at: decided_at.toISOString(),
    })),
    receipts: replay.receipts
      .map(receiptView)
      .toSorted((one, other) => Date.parse(one.issued_at) - Date.parse(other.issued_at)),
  }
}

type Deps = TaskDeps &
  RunViewDeps & {
    gateway: TaskGateway
    changes: Changes
    packages: PackageThreads
    uploadChecks: Pick<UploadChecks, 'extractUploads'>
  }

type Acknowledgement = {
  run_id: string
  receipt_id: string
  accepted: boolean
  note: string
}

/** Runs as their agents follow, feed and acknowledge them; each read is one transaction, so that its parts agree. */
export class RunService {
  private readonly deps: Deps
  /** The rails whose runs agents start by themselves. */
  readonly offered = rails.filter(({ takes }) => takes.paidAgentUse)

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** 404 for an unknown run, and for that of another. */
  run(caller: TaskCaller, runId: string) {
    return transaction(this.deps.db, async (tx) =>
      runView(this.deps, tx, await ownRun(tx, caller, runId)),
    )
  }

  /** The run with the criteria that it has to meet. */
  completion(caller: TaskCaller, runId: string) {
    return transaction(this.deps.db, async (tx) => {
      const task = await ownRun(tx, caller, runId)
      const run = await runView(this.deps, tx, task)
      return { run, completion: await completionOf(tx, task) }
    })
  }

  /** The run once it has changed, or as it is when the time is up. */
  async runMoved(caller: TaskCaller, runId: string, waitMs: number) {
    const { db, changes } = this.deps
    const { task_id, sequence, state } = await transaction(db, (tx) => ownRun(tx, caller, runId))
    const hasMoved = async () => (await readSequence(db, task_id)) !== sequence || undefined
    if (state !== 'closed' && waitMs > 0) await lookUntil(changes, task_id, waitMs, hasMoved)
    return this.run(caller, runId)
  }

  runs(filter: RunFilter, page: { offset: number; limit: number }) {
    return transaction(this.deps.db, async (tx) => {
      const totals = await countRunsOf(tx, filter)
      const items = []
      for (const task of await listRunsOf(tx, filter, page))
        items.push(await runView(this.deps, tx, task))
      const total = Object.values(totals).reduce((sum, count) => sum + count, 0)
      return { items, ...page, total, totals }
    })
  }

  /** Abandons a run that has no result yet; no effect on one that has ended. Throws 409 `recovery_not_allowed` while a payment may be in progress. */
  cancel(actor: TaskActor, runId: string): Promise<void> {
    return cancelRun(this.deps, actor, runId)
  }

  /** The package of a completed run with our own verification of it. Throws 409 `not_ready`. */
  async returnPackage(caller: TaskCaller, runId: string) {
    const { db, packages } = this.deps
    const { keys, ...read } = await transaction(db, (tx) => this.#readPackage(tx, caller, runId))
    const completion = await packages.verify({ view: read.return_package, keys: { keys } })
    const next_actions = receiptActions(this.deps.baseUrl, read.attestation)
    return { ...read, completion, next_actions }
  }

  /** Every file of a package by name, as the texts that were digested. */
  packageTexts(made: ReturnPackage): Promise<Record<string, string>> {
    return this.deps.packages.texts(made)
  }

  /** The id of the package of a task whose run is completed, else null. */
  deliveredPackageId(taskId: string): Promise<string | null> {
    return transaction(this.deps.db, async (tx) => {
      if (!(await isDelivered(tx, taskId))) return null
      return (await findPackageId(tx, runIdOf(taskId))) ?? null
    })
  }

  /** The package of a task with everything around it. Throws 409 `not_ready`. */
  async returnRecord(taskId: string) {
    const { db, packages } = this.deps
    const { keys, replay, ...read } = await transaction(db, async (tx) => ({
      ...(await this.#readPackage(tx, { taskId }, runIdOf(taskId))),
      ...(await readRecord(this.deps, tx, taskId)),
    }))
    const job = { view: read.return_package, keys: { keys }, record: replay }
    return { ...read, ...(await packages.verifyAll(job)) }
  }

  async submit(actor: TaskActor, submission: Submission) {
    return this.run({}, runIdOf(await submitRun(this.deps, actor, submission)))
  }

  /**
   * Records that the agent received a receipt of its run and accepts or disputes it. A dispute stops the task; a closed
   * task stays closed, and its dispute waits for an operator. Throws 409 `wrong_state` where the task is stopped already,
   * `already_exists` for a receipt that was acknowledged before, 422 `receipt_invalid` for a receipt of another run.
   */
  async acknowledge(actor: TaskActor, input: Acknowledgement, callId: string): Promise<void> {
    const { run_id, receipt_id, accepted, note } = input
    const { db, gateway } = this.deps
    const { task_id } = await transaction(db, async (tx) => {
      const task = await ownRun(tx, actor, run_id)
      const known = await receiptsOfRun(this.deps, tx, task)
      if (!known.some((receipt) => receipt.receipt_id === receipt_id))
        throw refuse('receipt_invalid', { detail: 'it is not a receipt of this run' })
      return task
    })
    const detail = note === '' ? `the agent does not accept ${receipt_id}` : note
    let stops = false
    await answerOnce(this.deps, { callId, subject: task_id, status: 200 }, async (tx) => {
      // Two acknowledgements of one receipt wait for each other here.
      const { state } = await requireTask(tx, task_id)
      await assertFirst(tx, receipt_id)
      stops = !accepted && state !== 'closed'
      const by = { eventId: callId, actor: actor.actor }
      const data = { code: 'caller_dispute', detail } as const
      const raised = { taskId: task_id, ...by, event: 'exception_raised', data } as const
      if (stops) await recordTransition(this.deps, tx, raised)
      return this.#recordAcknowledgement(tx, { ...input, actor: actor.actor }, { callId, detail })
    })
    if (stops) await gateway.advance(task_id).catch(() => undefined)
  }

  async #recordAcknowledgement(
    tx: Tx,
    input: Acknowledgement & { actor: string },
    { callId, detail }: { callId: string; detail: string },
  ) {
    const task = await ownRun(tx, {}, input.run_id)
    const { task_id, sequence } = task
    const raised = (await findTaskEvent(tx, task_id, callId))?.sequence
    const [ledger_entry] = await listLedger(tx, task_id, { from: raised ?? sequence, most: 1 })
    const { actor, ...acknowledged } = input
    const facts = { ...acknowledged, task_id, actor, ledger_entry: ledger_entry?.hash ?? null }
    const seconds = await clockSeconds(tx)
    const jws = await writeTaskReceipt(this.deps, tx, {
      task,
      subject: acknowledgementOf(input.receipt_id),
      kind: 'acknowledgement',
      facts,
      nowSeconds: seconds,
    })
    const acknowledgement = receiptView(jws)
    const audit = { unit: 'acknowledgement', subject: acknowledgement.receipt_id, seconds }
    await recordAudit(tx, task, audit)
    const isLate = !input.accepted && raised === undefined
    const dispute = isLate
      ? await disputeClosed(this.deps, tx, { task, detail, by: { actor } })
      : (await listTaskExceptions(tx, task_id)).find((one) => one.sequence === raised)
    return {
      acknowledgement,
      ledger_entry,
      dispute: dispute === undefined ? null : taskExceptionView(dispute),
    }
  }

  async #readPackage(tx: Tx, caller: TaskCaller, runId: string) {
    const task = await ownRun(tx, caller, runId)
    const row = await deliveredPackage(tx, task.task_id)
    const attestation = (await listReceipts(tx, runId)).find(({ kind }) => kind === 'attestation')
    if (row === undefined || attestation === undefined) throw await notDelivered(tx, task)
    const { settlement_receipt_id, usage_receipt_id } = await runView(this.deps, tx, task)
    const receipts = { settlement_receipt_id, usage_receipt_id }
    const { completion_signature } = row
    const return_package = returnPackageView(
      row.package as MadePackage,
      completion_signature,
      receipts,
    )
    const published = (await listPublicKeys(tx)).filter(({ ring }) => ring === 'receipt')
    const keys = published.map(publishedKey)
    return { return_package, keys, attestation: receiptId(attestation.jws) }
  }
}

/** The refusal of a run without its package: final where it has ended, else with what it waits for. */
async function notDelivered(tx: Tx, task: TaskRow) {
  if (task.state === 'failed' || task.state === 'closed')
    return refuse('wrong_state', {
      detail:
        'the run ended before a result was delivered, so it has no return package and never will',
      next_action: 'Read why with get_run_status, and begin a new run.',
      extra: taskStanding(task.state),
    })
  const { state, next_action, waiting_for, required_action, gaps } = await taskView(tx, task)
  const extra = { state, waiting_for, required_action, gaps }
  return refuse('not_ready', { detail: `the run is ${state}`, next_action, extra })
}

/** A receipt is acknowledged under a subject of its own, which has one acknowledgement in SQL as well. */
const acknowledgementOf = (receiptId: string): string => `ak_${digestOf({ receipt_id: receiptId })}`

async function assertFirst(tx: Tx, receiptId: string): Promise<void> {
  const [first] = await listReceipts(tx, acknowledgementOf(receiptId))
  if (first === undefined) return
  throw refuse('already_exists', {
    detail: 'the receipt was acknowledged before',
    next_action: 'Read the acknowledgement that "receipt_id" names.',
    extra: { receipt_id: first.receipt_id },
  })
}
