import * as wf from '@temporalio/workflow'
import type { FloorSigning, FloorStep, FloorSteps, FloorVariant } from './messages.ts'

export { floorRun, floorTask } from './task.ts'

const steps = wf.proxyLocalActivities<FloorSteps>({ startToCloseTimeout: '10s', localRetryThreshold: '30s' })
const signing = wf.proxyActivities<FloorSigning>({ taskQueue: 'floor-signing', startToCloseTimeout: '3s' })

export const createUpdate = wf.defineUpdate<void, [FloorStep]>('create')
export const authorizeUpdate = wf.defineUpdate<void, [FloorStep]>('authorize')
export const executeUpdate = wf.defineUpdate<void, [FloorStep]>('execute')

/** Three updates of one local activity each; it stays open afterwards, as a payout does while its transfer is on its way. */
export async function floor(payoutId: string, variant: FloorVariant): Promise<void> {
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
