import * as wf from '@temporalio/workflow'
import { callbackAttemptsMax } from '../domain/callbacks/callback.ts'
import { retryOf } from '../shared/retry.ts'
import { wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { CallbackSnapshot, CallbackSteps } from './activities.ts'
import { redeliverSignal, viewQuery } from './messages.ts'

const steps = (summary: string) =>
  wf.proxyActivities<CallbackSteps>({
    taskQueue: 'callbacks',
    startToCloseTimeout: timing.callback.startToClose,
    retry: retryOf(timing.callback),
    summary,
  })

/**
 * One delivery from its first attempt until it is taken, refused for good, or given up; the row in Postgres says when the next
 * attempt is due, so any delivery can be picked up by a new run. Answers how it ended, null where there is no such delivery.
 */
export async function callback(deliveryId: string): Promise<CallbackSnapshot | null> {
  const run = { known: null as CallbackSnapshot | null, woken: false, hurried: false }
  const learn = (snapshot: CallbackSnapshot | null): void => {
    run.known = snapshot
    if (snapshot !== null) wf.setCurrentDetails(callbackDetails(snapshot))
  }
  const wake = (): void => {
    run.woken = true
  }
  const hurry = (): void => {
    run.hurried = true
  }
  wf.setHandler(wakeSignal, wake, { description: 'Read the stored delivery again and go on.' })
  wf.setHandler(redeliverSignal, hurry, { description: 'Make the next attempt now.' })
  wf.setHandler(viewQuery, () => run.known, { description: 'The delivery as this run knows it.' })

  learn(await steps('load the stored delivery').loadCallback(deliveryId))
  while (run.known?.open === true) {
    if (run.woken) {
      run.woken = false
      learn(await steps('load the stored delivery').loadCallback(deliveryId))
    } else if (run.known.waitMs > 0 && !run.hurried) {
      await rest(run.known)
    } else {
      run.hurried = false
      learn(await attempt(run.known))
    }
    if (wf.workflowInfo().continueAsNewSuggested)
      await wf.continueAsNew<typeof callback>(deliveryId)
  }
  return run.known

  /** Until the next attempt is due, or somebody wants something. */
  async function rest(known: CallbackSnapshot): Promise<void> {
    const summary = `attempt ${known.failures + 1} of ${callbackAttemptsMax}`
    const called = await wf.condition(() => run.woken || run.hurried, known.waitMs, { summary })
    if (!called) learn({ ...known, waitMs: 0 })
  }
}

/** A host that is not proven has to echo a nonce first; when it does, the callback follows at once. */
async function attempt(known: CallbackSnapshot): Promise<CallbackSnapshot> {
  const { deliveryId } = known
  const now = known.hostProven
    ? known
    : await steps('have the host echo a nonce').proveHost(deliveryId)
  return now.open && now.hostProven
    ? steps('deliver the callback').deliverCallback(deliveryId)
    : now
}

function callbackDetails(callback: CallbackSnapshot): string {
  const waits = callback.open ? 'the receiver to answer 2xx' : 'nothing: it is over'
  return [
    `### Callback ${callback.event} → ${callback.host}`,
    '',
    `| | |\n|---|---|\n| state | **${callback.state}** |\n| host proven | ${callback.hostProven ? 'yes' : 'no'} |\n| attempts | ${callback.attempts} |\n| failed | ${callback.failures} of ${callbackAttemptsMax} |\n| last failure | ${callback.lastFailure ?? '–'} |`,
    '',
    `**Waits for** ${waits}`,
    '',
    `**Unblocked by** ${callback.open ? `signal \`${redeliverSignal.name}\`, which makes the next attempt now` : 'none'}`,
  ].join('\n')
}
