import * as wf from '@temporalio/workflow'
import { retryOf } from '../shared/local-activities.ts'
import { wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { InvitationSnapshot, InvitationSteps } from './activities.ts'

const { advanceInvitation } = wf.proxyActivities<InvitationSteps>({
  taskQueue: 'tasks',
  startToCloseTimeout: timing.invitation.startToClose,
  retry: retryOf(timing.invitation),
  summary: 'remind the operators or end the invitation where it is due',
})

/**
 * One invitation to a pilot: it waits for the answer, reminds the operators after half of its time, and ends at its time. The row in
 * Postgres says when something is due, so a new run can continue any invitation. Only its one final answer wakes it. Returns the last
 * state, or null for an unknown pilot.
 */
export async function invitation(pilotId: string): Promise<InvitationSnapshot | null> {
  let answered = false
  const wake = (): void => {
    answered = true
  }
  wf.setHandler(wakeSignal, wake, { description: 'Read the answer that the client gave.' })

  let known = await advanceInvitation(pilotId)
  while (known?.state === 'invited') {
    wf.setCurrentDetails(details(known))
    const summary = known.reminded ? 'wait for the answer or the end' : 'wait for the answer'
    await wf.condition(() => answered, Math.max(known.waitMs, 1), { summary })
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof invitation>(pilotId)
    answered = false
    known = await advanceInvitation(pilotId)
  }
  if (known !== null) wf.setCurrentDetails(details(known))
  return known
}

function details({ state, reminded }: InvitationSnapshot): string {
  return [
    '### Invitation to a pilot',
    '',
    '| | |',
    '|---|---|',
    `| state | **${state}** |`,
    `| operators reminded | ${reminded ? 'yes' : 'no'} |`,
  ].join('\n')
}
