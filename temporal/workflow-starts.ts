import type { Client } from '@temporalio/client'
import type { SuiteName } from '#domain/harness/suites.ts'
import type { delegation } from '../workflows/delegation/workflow.ts'
import type { directorySubmission } from '../workflows/directories/workflow.ts'
import type { harness } from '../workflows/harness/workflow.ts'
import type { serviceKeyRotation } from '../workflows/key-rotation/workflow.ts'
import type { payment as paymentWorkflow } from '../workflows/payments/workflow.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { PAYOUTS_QUEUE, TASKS_QUEUE } from './queues.ts'
import { joinsOpenRun, tryOnce } from './updates.ts'

export const delegationWorkflowId = (actionId: string): string => `delegation-${actionId}`

/** Starts the workflow of a stored action, or joins its open run. */
export async function ensureDelegation(client: Client, actionId: string): Promise<void> {
  await client.workflow.start<typeof delegation>('delegation', {
    workflowId: delegationWorkflowId(actionId),
    taskQueue: TASKS_QUEUE,
    args: [actionId],
    ...joinsOpenRun,
    staticSummary: `Delegated action ${actionId.slice(0, 13)}…`,
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts every action that is open. */
export const notifyDelegation = (client: Client, actionId: string): Promise<void> =>
  tryOnce(client, () => ensureDelegation(client, actionId))

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
    ...joinsOpenRun,
    staticSummary: `Test ${suite}`,
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts every test that is open. */
export const notifyHarness = (client: Client, test: StoredTest): Promise<void> =>
  tryOnce(client, () => ensureHarness(client, test))

export const keyRotationWorkflowId = (ring: string): string => `key-rotation-${ring}`

/** Makes the workflow of a ring's rotation read its row and continue, in a new run if none is open. */
export async function wakeKeyRotation(client: Client, ring: string): Promise<void> {
  await client.workflow.signalWithStart<typeof serviceKeyRotation>('serviceKeyRotation', {
    workflowId: keyRotationWorkflowId(ring),
    taskQueue: PAYOUTS_QUEUE,
    args: [ring],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: wakeSignal,
    signalArgs: [],
    staticSummary: `Rotation of the signing keys ${ring}`,
  })
}

/** Tries once to wake the workflow and never fails: a worker's sweep starts every rotation that is open, and an open run reads its row from time to time. */
export const notifyKeyRotation = (client: Client, ring: string): Promise<void> =>
  tryOnce(client, () => wakeKeyRotation(client, ring))

export const directoryWorkflowId = (submissionId: string): string => `directory-${submissionId}`

/** Starts the workflow of a stored submission, or joins its open run. */
export async function ensureDirectorySubmission(
  client: Client,
  submissionId: string,
): Promise<void> {
  await client.workflow.start<typeof directorySubmission>('directorySubmission', {
    workflowId: directoryWorkflowId(submissionId),
    taskQueue: PAYOUTS_QUEUE,
    args: [submissionId],
    ...joinsOpenRun,
    staticSummary: `Submission ${submissionId.slice(0, 13)}…`,
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts every submission that is open. */
export const notifyDirectorySubmission = (client: Client, submissionId: string): Promise<void> =>
  tryOnce(client, () => ensureDirectorySubmission(client, submissionId))

export const paymentWorkflowId = (paymentId: string): string => `payment/${paymentId}`

/** Starts the settlement of a payment or joins its open run; after a closed run, a new one continues from the row. */
export async function ensurePayment(client: Client, paymentId: string): Promise<void> {
  await client.workflow.start<typeof paymentWorkflow>('payment', {
    workflowId: paymentWorkflowId(paymentId),
    taskQueue: PAYOUTS_QUEUE,
    args: [paymentId],
    ...joinsOpenRun,
    staticSummary: `Fee payment ${paymentId.slice(0, 10)}…`,
  })
}

/** Tries once to start the settlement and never fails: a worker's sweep starts every payment that is due. */
export const notifyPayment = (client: Client, paymentId: string): Promise<void> =>
  tryOnce(client, () => ensurePayment(client, paymentId))
