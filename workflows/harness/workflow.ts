import * as wf from '@temporalio/workflow'
import { COUNTERPART_STEP, type SuiteName } from '../domain/harness/suites.ts'
import { retryOf } from '../shared/local-activities.ts'
import { throughOutages } from '../shared/outages.ts'
import { timing } from '../shared/timing.ts'
import type { CounterpartSteps, HarnessSteps, StepSnapshot } from './activities.ts'

const options = {
  startToCloseTimeout: timing.harness.startToClose,
  heartbeatTimeout: timing.harness.heartbeat,
  retry: { ...retryOf(timing.harness), maximumAttempts: timing.harness.attempts },
}
const { playHarnessStep } = wf.proxyActivities<HarnessSteps>({
  ...options,
  taskQueue: 'tasks',
  summary: 'play one step as sandbox agents',
})
const { endHarness } = wf.proxyActivities<HarnessSteps>({
  taskQueue: 'tasks',
  startToCloseTimeout: timing.harness.startToClose,
  retry: retryOf(timing.harness),
  summary: 'hash the transcript',
})
const { listCounterpartTools } = wf.proxyActivities<CounterpartSteps>({
  ...options,
  scheduleToCloseTimeout: timing.harness.startToClose,
  taskQueue: 'callbacks',
  summary: 'ask the counterpart for its tools',
})

export type HarnessOrder = { testRunId: string; suite: SuiteName; steps: readonly string[] }

/** One test of the running service: its steps one after the other, each on its own, then the hash of the transcript. */
export async function harness({ testRunId, suite, steps }: HarnessOrder): Promise<void> {
  const ended: (StepSnapshot | null)[] = []
  for (const step of steps) {
    ended.push(await played(testRunId, step))
    wf.setCurrentDetails(details(suite, ended))
  }
  await endHarness(testRunId)
}

/** A step that could not be played to its end has no outcome, which counts as failed. */
async function played(testRunId: string, step: string): Promise<StepSnapshot | null> {
  try {
    if (step === COUNTERPART_STEP)
      return await throughOutages(() => listCounterpartTools(testRunId))
    return await throughOutages(() => playHarnessStep(testRunId, step))
  } catch (error) {
    if (error instanceof wf.ActivityFailure && !wf.isCancellation(error))
      return { step, ok: false, status: null }
    throw error
  }
}

function details(suite: string, ended: readonly (StepSnapshot | null)[]): string {
  const rows = ended.flatMap((one) =>
    one === null
      ? []
      : [`| ${one.step} | ${one.ok ? 'passed' : 'failed'} | ${one.status ?? '–'} |`],
  )
  return [`### ${suite}`, '', '| step | | status |', '|---|---|---|', ...rows].join('\n')
}
