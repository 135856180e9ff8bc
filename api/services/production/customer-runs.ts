import { railOf } from '#domain/rails/index.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import {
  findCustomerRun,
  insertCustomerRun,
  listProductionRuns,
} from '../../../activities/store/production/customer-runs.ts'
import { findTask } from '../../../activities/store/tasks/tasks.ts'
import type { Writer } from '../authority/write-gate.ts'
import { ownRun } from '../runs/own-run.ts'
import type { TaskCaller } from '../tasks/access.ts'
import {
  boundView,
  type CustomerStart,
  type ProductionDeps,
  startProductionRun,
} from './production-start.ts'

type Listed = {
  run_id?: string | undefined
  customer_account?: string | undefined
}

/** Paid runs of agents for the accounts of their customers. */
export class CustomerRunService {
  private readonly deps: ProductionDeps

  constructor(deps: ProductionDeps) {
    this.deps = deps
  }

  /** The runs of an agent, or of all agents where none is given; 404 for a named run of another. */
  list(
    caller: TaskCaller & { agentId?: string | undefined },
    { run_id, customer_account }: Listed,
    page: { offset: number; limit: number },
  ) {
    return transaction(this.deps.db, async (tx) => {
      const taskId = run_id === undefined ? undefined : (await ownRun(tx, caller, run_id)).task_id
      const filter = { agentId: caller.agentId, customerAccount: customer_account, taskId }
      const { rows, total } = await listProductionRuns(tx, filter, page)
      const items = []
      for (const row of rows) {
        const task = await findTask(tx, row.task_id)
        if (task !== undefined) items.push(await boundView(this.deps, tx, row, task))
      }
      return { items, ...page, total }
    })
  }

  /** Starts a run of a rail that has a price, or continues one. */
  start(writer: Writer, given: CustomerStart, callId: string) {
    const { rail, tier } = given
    const operation = {
      id: 'production-run-start',
      path: '/api/customer-production-runs',
      isSold: (railOf(rail).prices?.[tier] ?? 0) > 0,
      find: findCustomerRun,
      insert: insertCustomerRun,
      view: boundView.bind(undefined, this.deps),
    }
    return startProductionRun(this.deps, operation, { writer, given, callId })
  }
}
