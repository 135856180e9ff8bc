import * as wf from '@temporalio/workflow'
import { retryOf } from '../shared/local-activities.ts'
import { timing } from '../shared/timing.ts'
import type { DirectorySteps, SubmissionSnapshot } from './activities.ts'

const { submitToDirectory } = wf.proxyActivities<DirectorySteps>({
  taskQueue: 'callbacks',
  startToCloseTimeout: timing.directory.startToClose,
  retry: retryOf(timing.directory),
  summary: 'post the stored document to the directory',
})

/**
 * One document to one directory, until it is accepted or refused or has no attempt left. The row in Postgres says when an attempt is
 * due, so a new run can continue any submission. Returns the last state, or null for an unknown submission.
 */
export async function directorySubmission(
  submissionId: string,
): Promise<SubmissionSnapshot | null> {
  let known = await submitToDirectory(submissionId)
  while (known?.state === 'submitted') {
    wf.setCurrentDetails(details(known))
    await wf.sleep(Math.max(known.waitMs, 1), { summary: 'wait for the next attempt' })
    known = await submitToDirectory(submissionId)
  }
  if (known !== null) wf.setCurrentDetails(details(known))
  return known
}

function details({ directory, state, attempts, lastFailure }: SubmissionSnapshot): string {
  return [
    `### Submission to ${directory}`,
    '',
    '| | |',
    '|---|---|',
    `| state | **${state}** |`,
    `| attempts | ${attempts} |`,
    `| last failure | ${lastFailure ?? '–'} |`,
  ].join('\n')
}
