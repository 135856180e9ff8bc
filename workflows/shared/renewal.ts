import * as wf from '@temporalio/workflow'
import { timing } from './timing.ts'

/** Whether a run must be renewed, before Temporal refuses its updates or its history becomes slow. */
export const isLong = ({ updates }: { updates: number }): boolean =>
  updates > timing.updatesPerRun || wf.workflowInfo().continueAsNewSuggested

/** Refuses an update of a run that is ending; the retry of its caller reaches the next run. Otherwise a busy run might never end. */
export function refuseIfEnding({ ending }: { ending: boolean }): void {
  if (ending) throw wf.ApplicationFailure.retryable('this run of the workflow is ending')
}
