import * as wf from '@temporalio/workflow'
import { timing } from './timing.ts'

/** Whether a run has to be renewed, before Temporal refuses its updates or its history gets slow. */
export const isLong = ({ updates }: { updates: number }): boolean =>
  updates > timing.updatesPerRun || wf.workflowInfo().continueAsNewSuggested

/** Refuses an update of a run that is ending: its caller tries again and meets the run that follows; where callers never pause, the run would never end. */
export function refuseIfEnding({ ending }: { ending: boolean }): void {
  if (ending) throw wf.ApplicationFailure.retryable('this run of the workflow is ending')
}
