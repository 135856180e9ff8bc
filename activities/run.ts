import { resultContractVersion } from '../workflows/domain/contract-sets.ts'
import { afterStep, type LoopMove, type LoopStep } from '../workflows/domain/controlled-loop.ts'
import { receiptId } from '../workflows/domain/ids.ts'
import type { TaskEvent } from '../workflows/domain/task-lifecycle.ts'
import type { TaskEventData } from '../workflows/domain/task-terms.ts'
import type { LoopSteps, RunRecords, RunSnapshot, StepInput } from '../workflows/run/ports.ts'
import type { RailPool } from './isolation/rail-pool.ts'
import { whileAlive } from './runs/alive.ts'
import type { Isolation } from './runs/isolated.ts'
import { computedSteps, type Ended, type Standing, workOf } from './runs/loop.ts'
import { makeReturnPackage } from './runs/return-package.ts'
import { clockSeconds, type Tx, transaction } from './store/db.ts'
import {
  findLoopStep,
  findReturnPackage,
  findRun,
  insertLoopStep,
  listLoopSteps,
  openReview,
  placeRun,
  requireRun,
} from './store/runs.ts'
import { requireTask, type TaskRow } from './store/tasks.ts'
import type { TaskDeps } from './tasks/deps.ts'
import { writeTaskReceipt } from './tasks/receipt.ts'
import { recordTransition } from './tasks/transition.ts'

/** The steps of runs: each is worked out first, and then stored with the move of its task in one transaction, once. */
export function createRunSteps(deps: TaskDeps, pool: RailPool): LoopSteps & RunRecords {
  return {
    loadRun: (runId) => transaction(deps.db, (tx) => loadRun(tx, runId)),
    takeStep: (input) => whileAlive((signal) => takeStep(deps, { pool, signal }, input)),
    failRun: ({ detail, ...input }) =>
      transaction(deps.db, async (tx) => {
        const standing = await stand(tx, input)
        if (standing !== undefined) await raise(deps, standing, input, { code: 'worker_failed', detail })
        return present(await loadRun(tx, input.runId))
      }),
  }
}

async function takeStep(deps: TaskDeps, isolation: Isolation, input: StepInput): Promise<RunSnapshot> {
  const { step } = input
  const before = await transaction(deps.db, (tx) => stand(tx, input))
  const compute = isComputed(step) ? computedSteps[step] : undefined
  const computed = before && (await compute?.({ ...before, db: deps.db }, isolation))
  return transaction(deps.db, async (tx) => {
    const standing = before && (await stand(tx, input))
    if (standing !== undefined) await storeEnd(deps, standing, input, computed)
    return present(await loadRun(tx, input.runId))
  })
}

const isComputed = (step: LoopStep): step is keyof typeof computedSteps => step in computedSteps

/** Where the run stands, locked; undefined when this step was taken before, or its task is not at work. */
async function stand(tx: Tx, { runId, attempt, round, step }: StepInput): Promise<Standing | undefined> {
  const { task_id } = await requireRun(tx, runId)
  const task = await requireTask(tx, task_id)
  const run = await requireRun(tx, runId)
  const here = run.attempt === attempt && run.round === round && run.step === step
  return here && isAtWork(task) ? { db: tx, task, run } : undefined
}

const isAtWork = ({ state }: TaskRow): boolean => state === 'operating' || state === 'result_ready'

async function storeEnd(deps: TaskDeps, standing: Standing, input: StepInput, computed?: Ended): Promise<void> {
  const { db: tx } = standing
  if (input.step === 'review_step') {
    const reviewed = await review(standing, input)
    if (reviewed !== undefined) await follow(deps, standing, input, afterStep(input, reviewed.verdict), reviewed.why)
    return
  }
  const ended = computed ?? (await writtenSteps[input.step as keyof typeof writtenSteps](deps, standing, input))
  await insertLoopStep(tx, input, ended)
  const { errors } = ended.output as { errors?: string }
  await follow(deps, standing, input, afterStep(input, ended.verdict), errors)
}

type Reviewed = { verdict: Ended['verdict']; why?: string | undefined }

/** What the review said; the sandbox's policy decides about a synthetic run, everything else waits for an operator. */
async function review({ db: tx, task }: Standing, input: StepInput): Promise<Reviewed | undefined> {
  const known = await findLoopStep(tx, input)
  if (known !== undefined) {
    const { note } = (known.output ?? {}) as { note?: string }
    return known.verdict === null ? undefined : { verdict: known.verdict, why: note || undefined }
  }
  if (task.review_decision !== 'sandbox_policy') {
    await openReview(tx, input)
    return undefined
  }
  await insertLoopStep(tx, input, { verdict: 'done', output: { decision: 'approve' }, decidedBy: 'sandbox_policy' })
  return { verdict: 'done' }
}

/** The last two steps write more than their own end. */
const writtenSteps: Record<
  'return_package' | 'attestation',
  (deps: TaskDeps, at: Standing, input: StepInput) => Promise<Ended>
> = {
  return_package: async (deps, standing, input) => {
    const { db: tx, task, run } = standing
    const nowSeconds = await clockSeconds(tx)
    const made = await makeReturnPackage(deps, tx, { task, run, work: await workOf(standing), nowSeconds })
    const { return_package_id, result_sha256 } = made
    // A waived gap has led to the result already.
    if (task.state === 'operating')
      await move(deps, standing, input, 'result_produced', { return_package_id, result_sha256 })
    return { verdict: 'done', output: made, decidedBy: null }
  },
  attestation: async (deps, standing, input) => {
    const { db: tx, task, run } = standing
    const made = await findReturnPackage(tx, run.run_id)
    if (made === undefined) throw new Error('a run is attested by its package')
    const { return_package_id, proof_hash, completion_signature, manifest_sha256, result_sha256, partial } = made
    const facts = {
      run_id: run.run_id,
      task_id: task.task_id,
      return_package_id,
      proof_hash,
      completion_signature,
      partial,
      manifest_sha256,
      result_sha256,
      input_sha256: task.input_sha256,
      ledger_head: task.head_hash,
      result_contract: resultContractVersion,
    }
    const about = { task, subject: run.run_id, kind: 'attestation', facts }
    const receipt_id = receiptId(await writeTaskReceipt(deps, tx, about, await clockSeconds(tx)))
    await move(deps, standing, input, 'result_attested', { receipt_id, proof_hash })
    return { verdict: 'done', output: { receipt_id, proof_hash }, decidedBy: null }
  },
}

async function follow(
  deps: TaskDeps,
  standing: Standing,
  input: StepInput,
  to: LoopMove,
  why = 'it ended the run',
): Promise<void> {
  const { db: tx, run } = standing
  if ('go' in to) return placeRun(tx, run.run_id, to.go)
  if (to.stop === 'attested') return placeRun(tx, run.run_id, null)
  if (to.stop === 'exception')
    return raise(deps, standing, input, { code: to.code, detail: `${input.step}: ${why}`.slice(0, 2000) })
  const { gaps } = await workOf(standing)
  await move(deps, standing, input, 'evidence_missing', { gaps: gaps.length })
}

const raise = (
  deps: TaskDeps,
  at: Standing,
  input: StepInput,
  data: TaskEventData['exception_raised'],
): Promise<void> => move(deps, at, input, 'exception_raised', data)

async function move<Event extends TaskEvent>(
  deps: TaskDeps,
  { db: tx, task }: Standing,
  { runId, attempt, round, step, limits }: StepInput,
  event: Event,
  data: TaskEventData[Event],
): Promise<void> {
  const eventId = `${runId}:${attempt}:${round}:${step}:${task.sequence}`
  await recordTransition(deps, tx, { taskId: task.task_id, eventId, event, actor: 'service', data }, limits)
}

async function loadRun(tx: Tx, runId: string): Promise<RunSnapshot | null> {
  const run = await findRun(tx, runId)
  if (run === undefined) return null
  const task = await requireTask(tx, run.task_id)
  const taken = await listLoopSteps(tx, runId)
  const review =
    run.step === 'review_step'
      ? taken.find(({ step, verdict }) => step === 'review_step' && verdict === null)
      : undefined
  const { rail, agent_id: agentId, usage, task_id: taskId } = task
  const { attempt, round, step } = run
  return {
    runId,
    taskId,
    rail,
    agentId,
    usage,
    attempt,
    round,
    step,
    next: nextOf(!isAtWork(task) || step === null, review !== undefined),
    reviewSince: review?.started_at.toISOString() ?? null,
    taken: taken.map((each) => ({ attempt: each.attempt, round: each.round, step: each.step, verdict: each.verdict })),
  }
}

function nextOf(isOver: boolean, isInReview: boolean): RunSnapshot['next'] {
  if (isOver) return 'over'
  return isInReview ? 'review' : 'step'
}

function present(run: RunSnapshot | null): RunSnapshot {
  if (run === null) throw new Error('a run whose step was taken is not there')
  return run
}
