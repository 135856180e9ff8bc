import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import { faultsText, groupFaults } from '#domain/rails/input/input-faults.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import type { Work } from '#domain/rails/rail.ts'
import { oversize } from '#domain/rails/work/tiers.ts'
import {
  asksForEvidence,
  classify,
  gapsInBrief,
  type Pass,
  revisionAfter,
} from '#domain/runs/fault-classes.ts'
import type { LoopStep, StepVerdict } from '#domain/tasks/controlled-loop.ts'
import { type Check, taskTerms } from '#domain/tasks/terms.ts'
import type { Tx } from '../store/postgres/db.ts'
import { latestOutput } from '../store/runs/runs.ts'
import { liveContract } from '../store/tasks/contracts.ts'
import { listTaskExceptions } from '../store/tasks/task-exceptions.ts'
import { findDocument, type TaskRow } from '../store/tasks/tasks.ts'
import { workDelivered } from '../tasks/exchange.ts'
import type { CurrentRun, StepResult } from './current-run.ts'
import { readRunInput, unreadFaults } from './input.ts'
import { attempted, type Isolation, validateApart, workApart } from './isolated.ts'
import { plannedChecks } from './validation.ts'

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
    const wrong = 'faults' in read ? null : oversize(input.rail, task.tier, { input: input.value })
    if (wrong !== null)
      return done({ input_sha256, rail, errors: `${wrong.pointer}: ${wrong.message}` }, 'refused')
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
  /** Derives the checks of the validator from the input, and what else the work is held to from its contract. */
  planner: async ({ db, task }) => {
    const { rail, tier, input_sha256, on_gaps } = task
    const input = await readRunInput(db, task)
    return done({
      rail,
      tier,
      input_sha256,
      on_gaps,
      limits: input.rail.tiers[tier],
      checks: plannedChecks(input.rail, input.value),
      criteria: await criteriaOf(db, task),
    })
  },
  worker: (current, isolation) =>
    attempted(current, 'worker', async () => {
      await failWhereAsked(current)
      try {
        const delivered = await workDelivered(current.db, current.task)
        return done(delivered ?? (await workApart(isolation, current)))
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
  /** Separates faults from gaps by class, and stops for needed gaps where the caller wants to be asked. */
  exception_agent: async (current) => {
    const { gaps } = await workOf(current)
    const faults = await faultsOf(current)
    const { on_gaps, state } = current.task
    const isWaived = state === 'result_ready'
    const asks = asksForEvidence({ gaps, faults }, { onGaps: on_gaps, isWaived })
    const classes = classify(faults, gaps)
    return done({ classes, faults, gaps: gapsInBrief(gaps) }, asks ? 'gaps' : 'done')
  },
  /** Sends a work with faults to another pass, in a process of its own, until a pass changes nothing. */
  revision_loop: async (current) => {
    const faults = await faultsOf(current)
    if (faults.length === 0) return done({ faults })
    const pass: Pass = {
      work_sha256: digestOf(await workOf(current)),
      checks: faults.map(({ check }) => check),
    }
    const verdict = revisionAfter(pass, await revisionOf(current))
    if (verdict === 'revise')
      return done({ faults, pass, change: 'the next pass has a process of its own' }, verdict)
    const errors = `another pass changes nothing: ${pass.checks.join(', ')}`
    return done({ faults, pass, errors }, verdict)
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

/** The pass that a revision sent back last in this attempt. */
async function revisionOf({ db, run }: CurrentRun): Promise<Pass | undefined> {
  if (run.round === 0) return undefined
  const revised = await latestOutput(db, run.run_id, run.attempt, 'revision_loop')
  return (revised as { pass?: Pass } | undefined)?.pass
}

/** What the reviewer will judge, by the contract. */
async function criteriaOf(db: Tx, task: TaskRow): Promise<string[]> {
  const contract = await liveContract(db, task.task_id)
  if (contract === undefined) return []
  const terms = await findDocument(db, task.task_id, contract.terms_sha256)
  return (terms as { acceptance_criteria?: string[] } | undefined)?.acceptance_criteria ?? []
}

async function faultsOf({ db, run }: CurrentRun): Promise<Check[]> {
  const { checks } = (await latestOutput(db, run.run_id, run.attempt, 'validator')) as {
    checks: Check[]
  }
  return checks.filter(({ ok }) => !ok)
}
