import * as wf from '@temporalio/workflow'
import { priorityOf } from '#domain/rails/work/tiers.ts'
import { loopStepDecisions } from '#domain/reviews/review.ts'
import { reviewWait, type Wait } from '#domain/reviews/wait.ts'
import { type LoopStep, REVISION_ROUNDS_MAX } from '#domain/tasks/controlled-loop.ts'
import { withoutAttentionAfter } from '../shared/attention.ts'
import { detailsOf } from '../shared/details.ts'
import { retryOf, shortSteps } from '../shared/local-activities.ts'
import { createMutex } from '../shared/mutex.ts'
import { throughOutages } from '../shared/outages.ts'
import { searchAttributes } from '../shared/search-attributes.ts'
import { showSignal, wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { LoopSteps, ModelSteps, RunDrafts, RunRecords, RunSnapshot } from './activities.ts'
import { viewQuery } from './messages.ts'

const records = shortSteps<RunRecords>()
/**
 * The fairness key divides the workers between agents, regardless of how many runs each agent has; the tier decides what is begun
 * first.
 */
const steps = (summary: string, { agentId, tier, usage }: RunSnapshot, attempts?: number) =>
  wf.proxyActivities<LoopSteps & RunDrafts>({
    taskQueue: usage === 'operational' ? 'runs' : 'strangers',
    startToCloseTimeout: timing.run.startToClose,
    heartbeatTimeout: timing.run.heartbeat,
    retry: { ...retryOf(timing.run), maximumAttempts: attempts ?? timing.run.attempts },
    priority: {
      fairnessKey: (agentId ?? 'anonymous').slice(0, 64),
      priorityKey: priorityOf(tier),
    },
    summary,
  })

/** Calls of the model go where the internet is reached. */
const model = wf.proxyActivities<ModelSteps>({
  taskQueue: 'callbacks',
  startToCloseTimeout: timing.model.startToClose,
  scheduleToCloseTimeout: timing.model.scheduleToClose,
  retry: retryOf(timing.model),
  summary: 'ask the model',
})

/**
 * The controlled loop of one task: takes the next step of the stored run until an event of the task must follow. A new workflow
 * run can continue any stored run. A step that fails permanently opens an exception of the task and does not fail the workflow.
 */
export function run(runId: string): Promise<void> {
  return withoutAttentionAfter(() => driveRun(runId))
}

async function driveRun(runId: string): Promise<void> {
  const state = { known: null as RunSnapshot | null, woken: false }
  const exclusively = createMutex()
  const wake = (): void => {
    state.woken = true
  }
  wf.setHandler(wakeSignal, wake, {
    description: 'Check for the decision that this run waits for.',
  })
  wf.setHandler(viewQuery, () => state.known, { description: 'The run as this workflow knows it.' })

  learn(await exclusively(() => records('load the stored run').loadRun(runId)))
  while (state.known !== null && state.known.step !== null && state.known.next !== 'over') {
    if (state.known.next === 'review') {
      await wf.condition(() => state.woken, timing.run.review, {
        summary: 'waits for the decision of a review',
      })
      state.woken = false
    }
    if (state.known.drafts === true && state.known.next === 'step') await draft(state.known)
    learn(await take(state.known, state.known.step))
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof run>(runId)
  }

  function learn(known: RunSnapshot | null): void {
    const before = stateOf(state.known)
    state.known = known
    if (known === null) return
    wf.setCurrentDetails(runDetails(known))
    const now = stateOf(known)
    if (now === before) return
    const waits = now === 'review_step'
    wf.upsertSearchAttributes([
      { key: searchAttributes.State, value: now },
      { key: searchAttributes.NeedsAttention, value: waits },
    ])
    if (!waits && before !== 'review_step') return
    wf.getExternalWorkflowHandle(known.taskId)
      .signal(showSignal)
      .catch(() => undefined)
  }

  /** A model never stops a run: without its drafts, the result is delivered alone. */
  async function draft(known: RunSnapshot): Promise<void> {
    const { attempt, round } = known
    const at = { runId, attempt, round }
    const drafting = (summary: string) => steps(summary, known, timing.model.draftAttempts)
    try {
      const planned = await throughOutages(() => drafting('plan the drafts').planDrafts(at))
      for (const promptSha256 of planned)
        await model.callModel({ subject: runId, promptSha256 }).catch(unlessCancelled)
      await throughOutages(() => drafting('check the drafts').keepDrafts(at))
    } catch (error) {
      unlessCancelled(error)
    }
  }

  async function take(known: RunSnapshot, step: LoopStep): Promise<RunSnapshot> {
    const { attempt, round } = known
    const input = { runId, attempt, round, step }
    try {
      return await throughOutages(() => steps(step, known).takeStep(input))
    } catch (error) {
      if (!(error instanceof wf.ActivityFailure) || wf.isCancellation(error)) throw error
      return exclusively(() => records('open an exception').failRun(input))
    }
  }
}

/** What the list of workflows shows of a run; one is started as `operating`. */
function stateOf(run: RunSnapshot | null): 'operating' | 'review_step' | 'over' {
  if (run === null) return 'operating'
  if (run.next === 'review') return 'review_step'
  return run.step === null || run.next === 'over' ? 'over' : 'operating'
}

/** Throws all but the end of an activity that failed. */
function unlessCancelled(error: unknown): void {
  if (!(error instanceof wf.ActivityFailure) || wf.isCancellation(error)) throw error
}

/** What a run waits for. The task of the run shows the same review. */
function runWait(run: RunSnapshot): Wait {
  const nothing = { waiting_for: [], since: null, gaps: [], action: null }
  if (run.next === 'review' && run.reviewSince !== null) {
    const review = { kind: 'loop_step', id: run.runId, since: run.reviewSince } as const
    return reviewWait('an operator to review the result', review, loopStepDecisions)
  }
  if (run.next === 'over') return { ...nothing, what: `nothing: its task ${run.taskId} continues` }
  return { ...nothing, what: `the step ${run.step}` }
}

/** Markdown for the Temporal UI: the steps taken, what the run waits for, the required action. */
export function runDetails(run: RunSnapshot): string {
  return detailsOf({
    title: `Run of ${run.rail} (${run.usage})`,
    rows: [
      ['task', run.taskId],
      ['attempt', `${run.attempt + 1}`],
      ['revision', `${run.round} of ${REVISION_ROUNDS_MAX}`],
    ],
    wait: runWait(run),
    more: [
      '| step | attempt | revision | ended |\n|---|---|---|---|',
      ...run.taken.map(
        ({ step, attempt, round, verdict }) =>
          `| ${step} | ${attempt + 1} | ${round} | ${verdict ?? 'waits'} |`,
      ),
    ],
  })
}
