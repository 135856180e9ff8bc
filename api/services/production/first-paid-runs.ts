import { refuse } from '#domain/core/errors.ts'
import {
  type SuccessCondition,
  successConditions,
  unmetOf,
} from '#domain/production/first-paid-run.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import {
  countFirstPaidRuns,
  type FirstPaidRunRow,
  findFirstPaidRun,
  findFirstReached,
  insertFirstPaidRun,
} from '../../../activities/store/production/first-paid-runs.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import type { Writer } from '../authority/write-gate.ts'
import { ownRun } from '../runs/own-run.ts'
import type { TaskCaller } from '../tasks/access.ts'
import {
  boundView,
  type CustomerStart,
  type ProductionDeps,
  startProductionRun,
} from './production-start.ts'

/** A production run as its agent starts it. */
export type ProductionStart = CustomerStart & { publication_consent: boolean }

/** Paid runs of agents for a customer account, and the conditions that they complete with. */
export class FirstPaidRunService {
  private readonly deps: ProductionDeps

  constructor(deps: ProductionDeps) {
    this.deps = deps
  }

  /** The conditions, and whether any run has met them all; its id only with the consent of its agent. */
  async describe() {
    const { db } = this.deps
    const first = await findFirstReached(db)
    const counts = await countFirstPaidRuns(db)
    return {
      success_condition: [...successConditions],
      rails: rails.filter(({ takes }) => takes.paidAgentUse).map(({ key }) => key),
      reached: first !== undefined,
      first_run_id: first?.publication_consent === true ? runIdOf(first.task_id) : null,
      runs: counts,
    }
  }

  /** 404 for a run that is no production run of the caller. */
  read(caller: TaskCaller, runId: string) {
    return transaction(this.deps.db, async (tx) => {
      const task = await ownRun(tx, caller, runId)
      const run = await findFirstPaidRun(tx, task.task_id)
      if (run === undefined) throw refuse('not_found', { detail: 'no such production run' })
      return this.#view(tx, run, task)
    })
  }

  /**
   * Starts a run, or continues one. Throws 409 `conditions_unmet` with each unmet condition for a repeat of a run that closed without
   * meeting all.
   */
  start(writer: Writer, { publication_consent, ...given }: ProductionStart, callId: string) {
    const operation = {
      id: 'first-paid-run-execute',
      path: '/api/first-paid-production-run-execution',
      isSold: railOf(given.rail).takes.paidAgentUse,
      find: findFirstPaidRun,
      assertContinues: assertNotUnmet,
      insert: (
        tx: Tx,
        run: Omit<Parameters<typeof insertFirstPaidRun>[1], 'publication_consent'>,
      ) => insertFirstPaidRun(tx, { ...run, publication_consent }),
      view: (tx: Tx, row: FirstPaidRunRow, task: TaskRow) => this.#view(tx, row, task),
    }
    const call = { writer, given, more: { publication_consent }, callId }
    return startProductionRun(this.deps, operation, call)
  }

  async #view(tx: Tx, row: FirstPaidRunRow, task: TaskRow) {
    const closing = row.receipt_id && (await findReceipt(tx, { receipt_id: row.receipt_id }))
    return {
      ...(await boundView(this.deps, tx, row, task)),
      success_condition: row.conditions ?? notComputed,
      reached: row.reached,
      publication_consent: row.publication_consent,
      receipt: closing ? receiptView(closing.jws) : null,
    }
  }
}

/** The conditions of a run that has not closed. */
const notComputed: SuccessCondition[] = successConditions.map((condition) => ({
  condition,
  met: false,
  evidence_id: null,
  detail: 'it is computed when the run closes',
}))

function assertNotUnmet(known: FirstPaidRunRow): void {
  const unmet = unmetOf(known.conditions ?? [])
  if (unmet.length === 0) return
  throw refuse('conditions_unmet', {
    detail: `unmet: ${unmet.map(({ condition, detail }) => `${condition} (${detail})`).join(', ')}`,
    next_action: 'Start another run with a new key and quote.',
    extra: { unmet, run_id: runIdOf(known.task_id), receipt_id: known.receipt_id },
  })
}
