import * as wf from '@temporalio/workflow'
import type { PayoutSteps } from '../../../workflows/payouts/activities.ts'

export { payment } from '../../../workflows/payments/workflow.ts'

const steps = wf.proxyLocalActivities<PayoutSteps>({ startToCloseTimeout: '10s' })

/** A payout workflow with a wrong change: it loads the row first, which no saved history did. */
export async function payout(payoutId: string): Promise<void> {
  await steps.loadPayout(payoutId)
  await wf.sleep(1000)
  await steps.loadPayout(payoutId)
}

/** Workflows with a wrong change: they wait before the step that every saved history began with. */
export async function delegation(): Promise<void> {
  await wf.sleep(1000)
}
export async function serviceKeyRotation(): Promise<void> {
  await wf.sleep(1000)
}
export async function uploadCheck(): Promise<void> {
  await wf.sleep(1000)
}
export async function harness(): Promise<void> {
  await wf.sleep(1000)
}
export async function invitation(): Promise<void> {
  await wf.sleep(1000)
}
export async function workflowFiring(): Promise<void> {
  await wf.sleep(1000)
}
export async function directorySubmission(): Promise<void> {
  await wf.sleep(1000)
}
export async function analysis(): Promise<void> {
  await wf.sleep(1000)
}
