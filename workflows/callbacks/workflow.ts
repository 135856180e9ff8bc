import * as wf from '@temporalio/workflow'
import { callbackAttemptsMax } from '#domain/callbacks/callback.ts'
import { retryOf } from '../shared/local-activities.ts'
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
 * One delivery from its first attempt until it is accepted, refused or abandoned. The row in Postgres says when the next attempt
 * is due, so a new run can continue any delivery. Returns the last state, or null for an unknown delivery.
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
  wf.setHandler(wakeSignal, wake, { description: 'Read the stored delivery again and continue.' })
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

  /** Waits until the next attempt is due or a signal arrives. */
  async function rest(known: CallbackSnapshot): Promise<void> {
    const summary = `attempt ${known.failures + 1} of ${callbackAttemptsMax}`
    const signalled = await wf.condition(() => run.woken || run.hurried, known.waitMs, { summary })
    if (!signalled) learn({ ...known, waitMs: 0 })
  }
}

/** An unproven host must first echo a nonce; then the callback follows immediately. */
async function attempt(known: CallbackSnapshot): Promise<CallbackSnapshot> {
  const { deliveryId } = known
  let current = known
  if (!known.hostProven) current = await steps('ask the host to echo a nonce').proveHost(deliveryId)
  if (!current.open || !current.hostProven) return current
  return steps('deliver the callback').deliverCallback(deliveryId)
}

function callbackDetails(callback: CallbackSnapshot): string {
  const waits = callback.open
    ? {
        for: 'the receiver to answer 2xx',
        unblockedBy: `signal \`${redeliverSignal.name}\`, which makes the next attempt now`,
      }
    : { for: 'nothing: the delivery has ended', unblockedBy: 'none' }
  return [
    `### Callback ${callback.event} → ${callback.host}`,
    '',
    `| | |\n|---|---|\n| state | **${callback.state}** |\n| host proven | ${callback.hostProven ? 'yes' : 'no'} |\n| attempts | ${callback.attempts} |\n| failed | ${callback.failures} of ${callbackAttemptsMax} |\n| last failure | ${callback.lastFailure ?? '–'} |`,
    '',
    `**Waits for** ${waits.for}`,
    '',
    `**Unblocked by** ${waits.unblockedBy}`,
  ].join('\n')
}
