import * as wf from '@temporalio/workflow'
import { rotationSteps } from '../domain/keys/rotation.ts'
import { retryOf } from '../shared/local-activities.ts'
import { wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { KeyRotationSteps, RotationSnapshot } from './activities.ts'

const steps = (summary: string) =>
  wf.proxyActivities<KeyRotationSteps>({
    taskQueue: 'payouts',
    startToCloseTimeout: timing.keyRotation.startToClose,
    retry: retryOf(timing.keyRotation),
    summary,
  })

const summaries = {
  publishNextKey: 'make the next key and publish it',
  activateNextKey: 'sign with the next key',
  retirePreviousKey: 'retire the previous key',
} as const

/**
 * The rotation of one ring of signing keys: publish the next key, activate it once caches of the key set have it, retire the previous
 * one after the overlap. The row in Postgres says when a step is due, so a new run can continue any rotation. Returns the last state,
 * or null if no rotation of the ring is open.
 */
export async function serviceKeyRotation(ring: string): Promise<RotationSnapshot | null> {
  let woken = false
  const wake = (): void => {
    woken = true
  }
  wf.setHandler(wakeSignal, wake, { description: 'Read the stored rotation again and continue.' })

  let known = await steps('load the open rotation').loadRotation(ring)
  while (known !== null && known.state !== 'done') {
    const step = rotationSteps[known.state]
    wf.setCurrentDetails(details(known, summaries[step]))
    if (known.waitMs > 0) await rest(known.waitMs, `wait to ${summaries[step]}`)
    if (wf.workflowInfo().continueAsNewSuggested)
      await wf.continueAsNew<typeof serviceKeyRotation>(ring)
    woken = false
    // A step that is not due changes nothing and says how long it is to wait.
    known = await steps(summaries[step])[step](known.rotationId)
  }
  if (known !== null) wf.setCurrentDetails(details(known, 'nothing: the rotation is done'))
  return known

  /** Waits until the step is due, a signal arrives, or the row is to be read again. */
  async function rest(waitMs: number, summary: string): Promise<void> {
    await wf.condition(() => woken, Math.min(waitMs, timing.keyRotation.reread), { summary })
  }
}

function details({ ring, state, nextKid, previousKid }: RotationSnapshot, next: string): string {
  return [
    `### Rotation of the ring ${ring}`,
    '',
    `| | |\n|---|---|\n| state | **${state}** |\n| next key | ${nextKid ?? '–'} |\n| previous key | ${previousKid ?? '–'} |`,
    '',
    `**Next** ${next}`,
  ].join('\n')
}
