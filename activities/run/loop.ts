import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import { faultsText, groupFaults } from '#domain/rails/input-faults.ts'
import type { Work } from '#domain/rails/rail.ts'
import { readInput } from '#domain/rails/read-input.ts'
import type { LoopStep, StepVerdict } from '#domain/runs/controlled-loop.ts'
import { type Check, taskTerms } from '#domain/tasks/terms.ts'
import { latestOutput } from '../store/tasks/runs.ts'
import { listTaskExceptions } from '../store/tasks/task-exceptions.ts'
import { findDocument } from '../store/tasks/tasks.ts'
import type { CurrentRun, StepResult } from './current-run.ts'
import { readRunInput, unreadFaults } from './input.ts'
import { attempted, type Isolation, validateApart, workApart } from './isolated.ts'
import { workChecks } from './validation.ts'

/** The steps that only compute; `run.ts` has the three that also write. */
type Computed = Exclude<LoopStep, 'review_step' | 'return_package' | 'attestation'>

const done = (output: unknown, verdict: StepVerdict = 'done'): StepResult => ({
  verdict,
  output,
  decidedBy: null,
})

/** What each step does. The same input gives the same output, so that a step may run twice. */
export const computedSteps: Record<
  Computed,
  (current: CurrentRun, isolation: Isolation) => Promise<StepResult>
> = {
  /** Reads the input by the rail's own schema; the rows of uploaded lists are read by the worker. */
  intake: async ({ db, task }) => {
    const { input_sha256, rail } = task
    const input = await readRunInput(db, task)
    const read = readInput(input.rail, input.value, input.uploads)
    const extractions = input.extractions.map((one) => digestOf(one))
    const { uploads } = input
    const unread = await unreadFaults(db, task.agent_id, input)
    const faults = [...('faults' in read ? read.faults : []), ...unread]
    if (faults.length === 0) return done({ input_sha256, rail, uploads, extractions })
    return done(
      { input_sha256, rail, errors: faultsText(faults), faults: groupFaults(faults) },
      'refused',
    )
  },
  /** Records the planned work and its checks. */
  planner: async ({ task }) =>
    done({
      rail: task.rail,
      input_sha256: task.input_sha256,
      on_gaps: task.on_gaps,
      checks: [...workChecks],
    }),
  worker: (current, isolation) =>
    attempted(current, 'worker', async () => {
      await failWhereAsked(current)
      try {
        return done(await workApart(isolation, current))
      } catch (error) {
        if (!(error instanceof DomainError) || error.refusal.code !== 'input_rejected') throw error
        return done({ errors: error.refusal.detail }, 'refused')
      }
    }),
  validator: (current, isolation) =>
    attempted(current, 'validator', async () => {
      const work = await workOf(current)
      return done({ checks: await validateApart(isolation, current, work) })
    }),
  /** Separates faults from gaps, and stops for gaps where the caller wants to be asked. */
  exception_agent: async (current) => {
    const { gaps } = await workOf(current)
    const faults = await faultsOf(current)
    const { on_gaps, state } = current.task
    const isWaived = state === 'result_ready'
    const asks = gaps.length > 0 && faults.length === 0 && on_gaps === 'ask' && !isWaived
    return done({ faults, gaps }, asks ? 'gaps' : 'done')
  },
  revision_loop: async (current) => {
    const faults = await faultsOf(current)
    return done({ faults }, faults.length === 0 ? 'done' : 'revise')
  },
}

/** Throws in a synthetic run that asked for it, until an exception has stopped the task. */
async function failWhereAsked({ db, task }: CurrentRun): Promise<void> {
  if (task.usage !== 'synthetic') return
  const { fault } = taskTerms.parse(await findDocument(db, task.task_id, task.terms_sha256))
  if (fault !== 'worker_exception') return
  if ((await listTaskExceptions(db, task.task_id)).length > 0) return
  throw new Error('the sandbox run asked for an exception of its worker')
}

/** The result of the worker step of this attempt. */
export async function workOf({ db, run }: CurrentRun): Promise<Work<unknown>> {
  return (await latestOutput(db, run.run_id, run.attempt, 'worker')) as Work<unknown>
}

async function faultsOf({ db, run }: CurrentRun): Promise<Check[]> {
  const { checks } = (await latestOutput(db, run.run_id, run.attempt, 'validator')) as {
    checks: Check[]
  }
  return checks.filter(({ ok }) => !ok)
}
