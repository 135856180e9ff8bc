import * as wf from '@temporalio/workflow'
import { retryOf } from '../shared/local-activities.ts'
import { wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { DelegationSnapshot, DelegationSteps } from './activities.ts'

const { performAction } = wf.proxyActivities<DelegationSteps>({
  taskQueue: 'tasks',
  startToCloseTimeout: timing.delegation.startToClose,
  retry: retryOf(timing.delegation),
  summary: 'run the operation and record its outcome',
})

/** One delegated action from its reservation to its outcome. It is repeated until the outcome is known. */
export async function delegation(actionId: string): Promise<DelegationSnapshot | null> {
  wf.setHandler(wakeSignal, () => undefined, {
    description: 'Starts a run if none is open, and does nothing else.',
  })
  const ended = await performAction(actionId)
  wf.setCurrentDetails(details(ended))
  return ended
}

function details(ended: DelegationSnapshot | null): string {
  if (ended === null) return 'The action is not stored.'
  return [
    `### Delegated action ${ended.operationId}`,
    '',
    `| | |\n|---|---|\n| state | **${ended.state}** |\n| refused with | ${ended.refusal ?? '–'} |`,
  ].join('\n')
}
