import { refuse } from '#domain/core/errors.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { recoverCommands } from '#domain/tasks/exception.ts'
import type { Config } from '../../../activities/config/config.ts'
import {
  payoutTimeline,
  searchWork,
  type TimelineRow,
  taskTimeline,
  type WorkFilter,
  type WorkRow,
} from '../../../activities/store/console/work.ts'
import { findRun, listStepTimes } from '../../../activities/store/runs/runs.ts'
import { findTask } from '../../../activities/store/tasks/tasks.ts'
import { stepProgress } from '../../../temporal/progress.ts'
import { outcomeOf } from '../reviews/outcomes.ts'
import { loopView } from '../runs/views.ts'
import { takenSteps } from '../tasks/steps.ts'
import { type CommandDeps, type OperatorCommand, runCommand, tryCommand } from './commands.ts'
import { explain, isTask, subjectOf, tracesOf } from './list.ts'
import { type TemporalUi, temporalUrl } from './temporal-url.ts'

const DETAIL_MAX = 500

type WorkDeps = CommandDeps & {
  config: TemporalUi & Pick<Config, 'BLOCK_EXPLORER_URL' | 'TRACE_UI_URL'>
}
export type RecoveryBatch = Pick<OperatorCommand, 'act' | 'reason' | 'input' | 'key'> & {
  ids: readonly string[]
  dryRun: boolean
}

/** Payouts and tasks as operators look for them, and the commands that recover them. */
export class WorkService {
  private readonly deps: WorkDeps

  constructor(deps: WorkDeps) {
    this.deps = deps
  }

  async list(filter: WorkFilter, page: { offset: number; limit: number }) {
    return (await searchWork(this.deps.db, filter, page)).map(lineOf)
  }

  /** One payout or task: what it waits for, everything that happened, and where to look at it; 404 for an unknown id. */
  async read(id: string) {
    const { db } = this.deps
    const subject = await subjectOf(this.deps, id)
    const [line] = await searchWork(db, { text: subject }, { offset: 0, limit: 1 })
    if (line === undefined)
      throw refuse('not_found', {
        detail: `no payout or task ${subject}`,
        next_action: 'Check the id.',
      })
    const explanation = await explain(this.deps, subject)
    const progress = isTask(subject) ? await this.#progress(subject) : null
    const happened = isTask(subject)
      ? await taskTimeline(db, subject)
      : await payoutTimeline(db, subject)
    return {
      ...lineOf(line),
      explanation,
      progress,
      commands: isTask(subject) ? [...recoverCommands] : ['wake' as const],
      traces: (await tracesOf(this.deps, subject)).map((id) => this.#trace(id)),
      timeline: happened.map((row) => this.#event(row)),
      steps: await this.#steps(subject),
      temporal_url: temporalUrl(this.deps.config, subject),
    }
  }

  /** Runs one command on each of these, or only tries it. Each gets an outcome. */
  async act(
    operator: { operatorId: string; name: string },
    { ids, dryRun, ...command }: RecoveryBatch,
  ) {
    const act = dryRun ? tryCommand : runCommand
    const outcomes = []
    for (const id of ids)
      outcomes.push(
        await outcomeOf(id, async () => {
          const { state, receipt } = await act(this.deps, operator, { ...command, id })
          return { state, receipt_id: receipt?.receipt_id ?? null }
        }),
      )
    return outcomes
  }

  async #steps(subject: string) {
    const { db } = this.deps
    const task = isTask(subject) ? await findTask(db, subject) : undefined
    return takenSteps(db, task?.run_id ?? null)
  }

  /** Where the run of a task stands, and how much of its lists the step has read. */
  async #progress(taskId: string) {
    const { db, client } = this.deps
    const task = await findTask(db, taskId)
    const run = task?.run_id == null ? undefined : await findRun(db, task.run_id)
    if (run === undefined) return null
    const { run_id, step, attempt, round } = run
    const read = step === null ? null : await stepProgress(client, run_id)
    const { index, steps } = loopView(run, await listStepTimes(db, run_id))
    return {
      run_id,
      step,
      done: index ?? steps.filter(({ state }) => state === 'done').length,
      of: loopSteps.length,
      attempt: attempt + 1,
      round,
      bytes_read: read?.bytes_read ?? null,
      bytes_total: read?.bytes_total ?? null,
    }
  }

  #event({ at, what, name, detail, reference }: TimelineRow) {
    const { BLOCK_EXPLORER_URL: explorer } = this.deps.config
    const isTransaction = what === 'transaction' && reference !== null && explorer !== ''
    return {
      at: at.toISOString(),
      what,
      name,
      detail: oneLine(detail, DETAIL_MAX),
      reference,
      url: isTransaction ? `${explorer}/tx/${reference}` : null,
    }
  }

  #trace(trace_id: string) {
    const { TRACE_UI_URL: ui } = this.deps.config
    return { trace_id, url: ui === '' ? null : `${ui}/trace/${trace_id}` }
  }
}

const lineOf = ({ created_at, ...line }: WorkRow) => ({
  ...line,
  created_at: created_at.toISOString(),
})
