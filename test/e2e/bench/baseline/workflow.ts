import * as wf from '@temporalio/workflow'
import type { BaselineSigning, BaselineStep, BaselineSteps, BaselineVariant } from './messages.ts'

export { baselineRun, baselineTask } from './task.ts'

const steps = wf.proxyLocalActivities<BaselineSteps>({
  startToCloseTimeout: '10s',
  localRetryThreshold: '30s',
})
const signing = wf.proxyActivities<BaselineSigning>({
  taskQueue: 'baseline-signing',
  startToCloseTimeout: '3s',
})

export const createUpdate = wf.defineUpdate<void, [BaselineStep]>('create')
export const authorizeUpdate = wf.defineUpdate<void, [BaselineStep]>('authorize')
export const executeUpdate = wf.defineUpdate<void, [BaselineStep]>('execute')

/** Three updates of one local activity each; it stays open afterwards, as a payout does while its transfer is on its way. */
export async function baseline(payoutId: string, variant: BaselineVariant): Promise<void> {
  let reserved = false
  wf.setHandler(createUpdate, (step) => steps.create(step))
  wf.setHandler(authorizeUpdate, (step) => steps.authorize(step))
  wf.setHandler(executeUpdate, async (step) => {
    if (variant === 'bare') return steps.reserveAndSign(step)
    await steps.reserve(step)
    reserved = true
  })
  await wf.condition(() => reserved)
  await signing.sign(payoutId)
  await wf.condition(() => false)
}
