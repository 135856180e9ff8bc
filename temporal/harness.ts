import type { Client } from '@temporalio/client'
import type { SuiteName } from '#domain/harness/suites.ts'
import type { harness } from '../workflows/harness/workflow.ts'
import { TASKS_QUEUE } from './queues.ts'
import { NOTIFY_MS } from './updates.ts'

export const harnessWorkflowId = (testRunId: string): string => `harness-${testRunId}`

type StoredTest = { test_run_id: string; suite: SuiteName; steps: readonly string[] }

/** Starts the workflow of a stored test, or joins its open run. */
export async function ensureHarness(
  client: Client,
  { test_run_id: testRunId, suite, steps }: StoredTest,
): Promise<void> {
  await client.workflow.start<typeof harness>('harness', {
    workflowId: harnessWorkflowId(testRunId),
    taskQueue: TASKS_QUEUE,
    args: [{ testRunId, suite, steps }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Test ${suite}`,
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts every test that is open. */
export const notifyHarness = (client: Client, test: StoredTest): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () => ensureHarness(client, test))
    .catch(() => undefined)
