import * as wf from '@temporalio/workflow'
import { retryOf } from '../shared/local-activities.ts'
import { timing } from '../shared/timing.ts'
import type { FiringSnapshot, FiringSteps } from './activities.ts'

const { fireWorkflow } = wf.proxyActivities<FiringSteps>({
  taskQueue: 'tasks',
  startToCloseTimeout: timing.delegation.startToClose,
  retry: retryOf(timing.delegation),
  summary: 'start the run of the firing, or record why not',
})

/** One firing of a customer's workflow. The id of this workflow names it, so that a firing is carried out once. */
export async function workflowFiring(workflowId: string): Promise<FiringSnapshot | null> {
  const { workflowId: firing } = wf.workflowInfo()
  const ended = await fireWorkflow({ workflowId, firing })
  wf.setCurrentDetails(details(ended))
  return ended
}

function details(ended: FiringSnapshot | null): string {
  if (ended === null) return 'The workflow is not stored.'
  const { firingId, state, runId, code } = ended
  return [
    `### Firing ${firingId.slice(0, 13)}…`,
    '',
    `| | |\n|---|---|\n| state | **${state}** |\n| run | ${runId ?? '–'} |\n| refused with | ${code ?? '–'} |`,
  ].join('\n')
}
