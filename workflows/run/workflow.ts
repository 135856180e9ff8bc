import * as wf from '@temporalio/workflow'
import { priorityOf } from '../domain/rails/tiers.ts'
import type { LoopStep } from '../domain/runs/controlled-loop.ts'
import { withoutAttentionAfter } from '../shared/attention.ts'
import { shortSteps } from '../shared/local-activities.ts'
import { createMutex } from '../shared/mutex.ts'
import { retryOf } from '../shared/retry.ts'
import { searchAttributes } from '../shared/search-attributes.ts'
import { showSignal, wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { LoopSteps, RunRecords, RunSnapshot } from './activities.ts'
import { runDetails } from './details.ts'
import { viewQuery } from './messages.ts'

const records = shortSteps<RunRecords>()
/**
 * The fairness key divides the workers between agents, regardless of how many runs each agent has; the tier decides what is begun
 * first.
 */
const steps = (summary: string, { agentId, tier }: RunSnapshot) =>
  wf.proxyActivities<LoopSteps>({
    taskQueue: 'runs',
    startToCloseTimeout: timing.run.startToClose,
    heartbeatTimeout: timing.run.heartbeat,
    retry: { ...retryOf(timing.run), maximumAttempts: timing.run.attempts },
    priority: {
      fairnessKey: (agentId ?? 'anonymous').slice(0, 64),
      priorityKey: priorityOf(tier),
    },
    summary,
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
    learn(await take(state.known, state.known.step))
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof run>(runId)
  }

  function learn(known: RunSnapshot | null): void {
    const reviewed = state.known?.next === 'review'
    state.known = known
    if (known === null) return
    wf.setCurrentDetails(runDetails(known))
    const waits = known.next === 'review'
    if (waits === reviewed) return
    const { State, NeedsAttention } = searchAttributes
    wf.upsertSearchAttributes([
      { key: State, value: waits ? 'review_step' : 'operating' },
      { key: NeedsAttention, value: waits },
    ])
    wf.getExternalWorkflowHandle(known.taskId)
      .signal(showSignal)
      .catch(() => undefined)
  }

  async function take(known: RunSnapshot, step: LoopStep): Promise<RunSnapshot> {
    const { attempt, round } = known
    const input = { runId, attempt, round, step, limits: timing.task.limits }
    try {
      return await steps(step, known).takeStep(input)
    } catch (error) {
      if (!(error instanceof wf.ActivityFailure) || wf.isCancellation(error)) throw error
      const detail = (error.cause?.message ?? error.message).slice(0, 500)
      return exclusively(() => records('open an exception').failRun({ ...input, detail }))
    }
  }
}
