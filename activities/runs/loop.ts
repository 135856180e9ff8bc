import { z } from 'zod'
import type { LoopStep, StepVerdict } from '../../workflows/domain/controlled-loop.ts'
import { DomainError } from '../../workflows/domain/errors.ts'
import type { Work } from '../../workflows/domain/rails/rail.ts'
import { checkInput } from '../../workflows/domain/rails/uploads.ts'
import type { Check } from '../../workflows/domain/task-terms.ts'
import type { Tx } from '../store/db.ts'
import { latestOutput, type RunRow } from '../store/runs.ts'
import type { TaskRow } from '../store/tasks.ts'
import { readRunInput } from './input.ts'
import { attempted, type Isolation, validateApart, workApart } from './isolated.ts'
import { workChecks } from './validation.ts'

export type Ended = { verdict: StepVerdict; output: unknown; decidedBy: string | null }
export type Standing = { db: Tx; task: TaskRow; run: RunRow }

/** The steps that only compute; the other three write and stand in `activities/run.ts`. */
type Computed = Exclude<LoopStep, 'review_step' | 'return_package' | 'attestation'>

const done = (output: unknown, verdict: StepVerdict = 'done'): Ended => ({ verdict, output, decidedBy: null })

/** What each step does. The same input gives the same output, so that a step may run twice. */
export const computedSteps: Record<Computed, (standing: Standing, isolation: Isolation) => Promise<Ended>> = {
  /** Reads the input by the rail's own schema; the rows of uploaded lists are read by the worker. */
  intake: async ({ db, task }) => {
    const { input_sha256, rail } = task
    const input = await readRunInput(db, task)
    const { error } = checkInput(input.rail, input.value, input.uploads)
    if (error === undefined) return done({ input_sha256, rail, uploads: input.uploads })
    return done({ input_sha256, rail, errors: z.prettifyError(error).slice(0, 4000) }, 'refused')
  },
  /** Fixes what will be done and what will be checked. */
  planner: async ({ task }) =>
    done({
      rail: task.rail,
      input_sha256: task.input_sha256,
      on_gaps: task.on_gaps,
      checks: [...workChecks],
    }),
  worker: (standing, isolation) =>
    attempted(standing, 'worker', async () => {
      try {
        return done(await workApart(isolation, standing))
      } catch (error) {
        if (!(error instanceof DomainError) || error.refusal.code !== 'input_rejected') throw error
        return done({ errors: error.refusal.detail }, 'refused')
      }
    }),
  validator: (standing, isolation) =>
    attempted(standing, 'validator', async () => {
      const work = await workOf(standing)
      return done({ checks: await validateApart(isolation, standing, work) })
    }),
  /** Sorts what is wrong from what is missing, and stops for what is missing where the caller wants to be asked. */
  exception_agent: async (standing) => {
    const { gaps } = await workOf(standing)
    const faults = await faultsOf(standing)
    const asks = gaps.length > 0 && faults.length === 0 && standing.task.on_gaps === 'ask'
    return done({ faults, gaps }, asks ? 'gaps' : 'done')
  },
  revision_loop: async (standing) => {
    const faults = await faultsOf(standing)
    return done({ faults }, faults.length === 0 ? 'done' : 'revise')
  },
}

/** What the worker brought in this attempt. */
export async function workOf({ db, run }: Standing): Promise<Work<unknown>> {
  return (await latestOutput(db, run.run_id, run.attempt, 'worker')) as Work<unknown>
}

async function faultsOf({ db, run }: Standing): Promise<Check[]> {
  const { checks } = (await latestOutput(db, run.run_id, run.attempt, 'validator')) as { checks: Check[] }
  return checks.filter(({ ok }) => !ok)
}
