import { resultContractVersion } from '#domain/core/contract-sets.ts'
import { receiptId } from '#domain/core/ids.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { isNeeded } from '#domain/rails/work/work.ts'
import { afterStep, type LoopMove, type LoopStep } from '#domain/tasks/controlled-loop.ts'
import { namesModel } from '#domain/tasks/data-declaration.ts'
import { mayBeDrafted } from '#domain/tasks/drafted.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import type {
  LoopSteps,
  RunRecords,
  RunSnapshot,
  StepInput,
} from '../../workflows/runs/activities.ts'
import { findRunDrafts } from '../store/model/model-calls.ts'
import { clockSeconds, type Tx, transaction } from '../store/postgres/db.ts'
import {
  findLoopStep,
  findReturnPackage,
  findRun,
  insertLoopStep,
  listStepTimes,
  openReview,
  placeRun,
  requireRun,
} from '../store/runs/runs.ts'
import { liveContract } from '../store/tasks/contracts.ts'
import { findDocument, requireTask, type TaskRow } from '../store/tasks/tasks.ts'
import type { TaskDeps } from '../tasks/deps.ts'
import { writeTaskReceipt } from '../tasks/receipt.ts'
import { recordTransition } from '../tasks/transition.ts'
import type { CurrentRun, StepResult } from './current-run.ts'
import { whileAlive } from './heartbeat.ts'
import type { Isolation } from './isolated.ts'
import type { RunPools } from './isolation/pools.ts'
import { computedSteps, workOf } from './loop.ts'
import { makeReturnPackage } from './return-package.ts'

/** The steps of runs. Each is computed first, and then stored once, with the transition of its task in the same transaction. */
export function createRunSteps(deps: TaskDeps, pools: RunPools): LoopSteps & RunRecords {
  return {
    loadRun: (runId) => transaction(deps.db, (tx) => loadRun(deps, tx, runId)),
    takeStep: (input) =>
      whileAlive(async ({ tries, last, ...alive }) => {
        try {
          return await takeStep(deps, { pools, ...alive }, { ...input, tries })
        } catch (error) {
          if (!last || alive.signal.aborted) throw error
          return failStep(deps, input, error instanceof Error ? error.message : String(error))
        }
      }),
    failRun: (input) => failStep(deps, input, 'it stored nothing in any of its attempts'),
  }
}

function failStep(deps: TaskDeps, input: StepInput, why: string): Promise<RunSnapshot> {
  return transaction(deps.db, async (tx) => {
    const at = await currentStep(tx, input)
    const detail = `${input.step}: ${why}`.slice(0, 500)
    if (at !== undefined) await raise(deps, at, { code: 'worker_failed', detail })
    return requireSnapshot(deps, tx, input.runId)
  })
}

async function takeStep(
  deps: TaskDeps,
  isolation: Isolation,
  { tries, ...input }: StepInput & { tries: number },
): Promise<RunSnapshot> {
  const { step } = input
  const { before, startedAt } = await transaction(deps.db, async (tx) => ({
    before: await currentStep(tx, input),
    startedAt: new Date((await clockSeconds(tx)) * 1000),
  }))
  const compute = isComputed(step) ? computedSteps[step] : undefined
  const computed = before && (await compute?.({ ...before, db: deps.db }, isolation))
  return transaction(deps.db, async (tx) => {
    const at = before && (await currentStep(tx, input))
    if (at !== undefined) await storeResult(deps, at, { computed, startedAt, tries })
    return requireSnapshot(deps, tx, input.runId)
  })
}

const isComputed = (step: LoopStep): step is keyof typeof computedSteps => step in computedSteps

type AtStep = CurrentRun & { input: StepInput }

/** The locked run at this step; undefined when the step was taken before, or its task is not at work. */
async function currentStep(tx: Tx, input: StepInput): Promise<AtStep | undefined> {
  const { runId, attempt, round, step } = input
  const { task_id } = await requireRun(tx, runId)
  const task = await requireTask(tx, task_id)
  const run = await requireRun(tx, runId)
  const isHere = run.attempt === attempt && run.round === round && run.step === step
  return isHere && isAtWork(task) ? { db: tx, task, run, input } : undefined
}

const isAtWork = ({ state }: TaskRow): boolean => state === 'operating' || state === 'result_ready'

type Begun = { computed: StepResult | undefined; startedAt: Date; tries: number }

async function storeResult(
  deps: TaskDeps,
  at: AtStep,
  { computed, ...begun }: Begun,
): Promise<void> {
  const { db: tx, input } = at
  if (input.step === 'review_step') {
    const reviewed = await review(at)
    if (reviewed !== undefined)
      await follow(deps, at, { next: afterStep(input, reviewed.verdict), reason: reviewed.reason })
    return
  }
  const write = writtenSteps[input.step as keyof typeof writtenSteps]
  const result = computed ?? (await write(deps, at))
  await insertLoopStep(tx, input, { ...result, ...begun })
  const { errors } = result.output as { errors?: string }
  await follow(deps, at, { next: afterStep(input, result.verdict), reason: errors })
}

type Reviewed = { verdict: StepResult['verdict']; reason?: string | undefined }

/** The outcome of the review: the sandbox policy decides about a synthetic run, an operator about every other one. */
async function review({ db: tx, task, input }: AtStep): Promise<Reviewed | undefined> {
  const known = await findLoopStep(tx, input)
  if (known !== undefined) {
    const { note } = (known.output ?? {}) as { note?: string }
    return known.verdict === null
      ? undefined
      : { verdict: known.verdict, reason: note || undefined }
  }
  if (task.review_decision !== 'sandbox_policy') {
    await openReview(tx, input)
    return undefined
  }
  await insertLoopStep(tx, input, {
    verdict: 'done',
    output: { decision: 'approve' },
    decidedBy: 'sandbox_policy',
  })
  return { verdict: 'done' }
}

/** The last two steps also write a record of their own. */
const writtenSteps: Record<
  'return_package' | 'attestation',
  (deps: TaskDeps, at: AtStep) => Promise<StepResult>
> = {
  return_package: async (deps, at) => {
    const { db: tx, task, run } = at
    const nowSeconds = await clockSeconds(tx)
    const { runId, attempt, round } = at.input
    const drafts = (await mayHaveDrafts(tx, task))
      ? await findRunDrafts(tx, { runId, attempt, round })
      : undefined
    const work = { ...(await workOf(at)), ...(drafts === undefined ? {} : { drafts }) }
    const made = await makeReturnPackage(deps, tx, { task, run, work, nowSeconds })
    const { return_package_id, result_sha256 } = made
    // A waived gap has led to the result already.
    if (task.state === 'operating')
      await record(deps, at, {
        event: 'result_produced',
        data: { return_package_id, result_sha256 },
      })
    return { verdict: 'done', output: made, decidedBy: null }
  },
  attestation: async (deps, at) => {
    const { db: tx, task, run } = at
    const made = await findReturnPackage(tx, run.run_id)
    if (made === undefined) throw new Error('a run is attested by its package')
    const facts = {
      run_id: run.run_id,
      task_id: task.task_id,
      return_package_id: made.return_package_id,
      proof_hash: made.proof_hash,
      completion_signature: made.completion_signature,
      partial: made.partial,
      manifest_sha256: made.manifest_sha256,
      result_sha256: made.result_sha256,
      input_sha256: task.input_sha256,
      ledger_head: task.head_hash,
      result_contract: resultContractVersion,
    }
    const receipt = { task, subject: run.run_id, kind: 'attestation', facts }
    const receipt_id = receiptId(await writeTaskReceipt(deps, tx, receipt))
    const { proof_hash } = made
    await record(deps, at, { event: 'result_attested', data: { receipt_id, proof_hash } })
    return { verdict: 'done', output: { receipt_id, proof_hash }, decidedBy: null }
  },
}

type Followed = { next: LoopMove; reason: string | undefined }

/** Moves the run to its next step, or its task where the loop stops. */
async function follow(deps: TaskDeps, at: AtStep, { next, reason }: Followed): Promise<void> {
  const { db: tx, run, input } = at
  if ('go' in next) return placeRun(tx, run.run_id, next.go)
  if (next.stop === 'attested') return placeRun(tx, run.run_id, null)
  if (next.stop === 'exception') {
    const detail = `${input.step}: ${reason ?? 'it ended the run'}`.slice(0, 2000)
    return raise(deps, at, { code: next.code, detail })
  }
  const { gaps } = await workOf(at)
  const needed = gaps.filter(isNeeded).length
  await record(deps, at, { event: 'evidence_missing', data: { gaps: needed } })
}

const raise = (
  deps: TaskDeps,
  at: AtStep,
  data: TaskEventData['exception_raised'],
): Promise<void> => record(deps, at, { event: 'exception_raised', data })

/** Records an event of the task that this step causes. */
async function record<Event extends TaskEvent>(
  deps: TaskDeps,
  { db: tx, task, input }: AtStep,
  { event, data }: { event: Event; data: TaskEventData[Event] },
): Promise<void> {
  const { runId, attempt, round, step } = input
  const eventId = `${runId}:${attempt}:${round}:${step}:${task.sequence}`
  const { task_id: taskId } = task
  await recordTransition(deps, tx, { taskId, eventId, event, actor: 'service', data })
}

async function loadRun(
  { model }: Pick<TaskDeps, 'model'>,
  tx: Tx,
  runId: string,
): Promise<RunSnapshot | null> {
  const run = await findRun(tx, runId)
  if (run === undefined) return null
  const task = await requireTask(tx, run.task_id)
  const taken = await listStepTimes(tx, runId)
  // A review that an exception interrupted stays open, and is of an earlier attempt.
  const review = taken.find(
    ({ attempt, round, step, verdict }) =>
      attempt === run.attempt &&
      round === run.round &&
      step === 'review_step' &&
      step === run.step &&
      verdict === null,
  )
  return {
    runId,
    taskId: task.task_id,
    rail: task.rail,
    tier: task.tier,
    agentId: task.agent_id,
    usage: task.usage,
    attempt: run.attempt,
    round: run.round,
    step: run.step,
    next: nextOf(!isAtWork(task) || run.step === null, review !== undefined),
    reviewSince: review?.started_at.toISOString() ?? null,
    ...(model !== null && run.step === 'review_step' && (await mayHaveDrafts(tx, task))
      ? { drafts: true as const }
      : {}),
    taken: taken.map(({ attempt, round, step, verdict }) => ({ attempt, round, step, verdict })),
  }
}

/** Whether the contract of a task names a model that drafts for it. */
async function mayHaveDrafts(tx: Tx, { task_id, rail, usage }: TaskRow): Promise<boolean> {
  if (!mayBeDrafted({ rail: rail as RailKey, usage })) return false
  const contract = await liveContract(tx, task_id)
  const terms = contract && (await findDocument(tx, task_id, contract.terms_sha256))
  const { data_policy: policy } = (terms ?? {}) as { data_policy?: string }
  return policy !== undefined && namesModel(policy)
}

function nextOf(isOver: boolean, isInReview: boolean): RunSnapshot['next'] {
  if (isOver) return 'over'
  return isInReview ? 'review' : 'step'
}

async function requireSnapshot(
  deps: Pick<TaskDeps, 'model'>,
  tx: Tx,
  runId: string,
): Promise<RunSnapshot> {
  const run = await loadRun(deps, tx, runId)
  if (run === null) throw new Error(`the run ${runId} is missing`)
  return run
}
