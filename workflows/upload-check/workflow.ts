import * as wf from '@temporalio/workflow'
import { retryOf } from '../shared/local-activities.ts'
import { throughOutages } from '../shared/outages.ts'
import { timing } from '../shared/timing.ts'
import type { UploadCheckSnapshot, UploadCheckSteps } from './activities.ts'

/**
 * Reads one upload of an agent before it is paid for. The fairness key divides the workers between agents, as for runs; strangers have
 * workers of their own.
 */
export async function uploadCheck(
  checkId: string,
  owner: string,
  trusted = false,
): Promise<UploadCheckSnapshot | null> {
  const { checkUpload } = wf.proxyActivities<UploadCheckSteps>({
    taskQueue: trusted ? 'runs' : 'strangers',
    startToCloseTimeout: timing.run.startToClose,
    heartbeatTimeout: timing.run.heartbeat,
    retry: { ...retryOf(timing.run), maximumAttempts: timing.run.attempts },
    priority: { fairnessKey: owner.slice(0, 64) },
    summary: 'read all rows as the rail would',
  })
  const ended = await throughOutages(() => checkUpload(checkId))
  wf.setCurrentDetails(details(ended))
  return ended
}

function details(ended: UploadCheckSnapshot | null): string {
  if (ended === null) return 'The check is not stored.'
  const { rail, list, rows, faults, refused } = ended
  return [
    `### Upload read as ${list} of ${rail}`,
    '',
    '| | |',
    '|---|---|',
    `| rows | ${rows ?? '–'} |`,
    `| faults | ${faults ?? '–'} |`,
    `| given up | ${refused ?? '–'} |`,
  ].join('\n')
}
