import {
  activationPathRead,
  activationStart,
  writeGateRead,
  writeGateValidate,
} from './activation.ts'
import {
  customerRunStart,
  customerRunsRead,
  firstPaidRunExecute,
  firstPaidRunRead,
} from './runs.ts'
import {
  workflowCreate,
  workflowDelete,
  workflowPause,
  workflowRead,
  workflowResume,
  workflowRun,
} from './workflows.ts'

/** The production write gate, and the runs behind it. */
export const production = [
  writeGateRead,
  writeGateValidate,
  customerRunsRead,
  customerRunStart,
  firstPaidRunRead,
  firstPaidRunExecute,
  activationPathRead,
  activationStart,
  workflowRead,
  workflowCreate,
  workflowPause,
  workflowResume,
  workflowDelete,
  workflowRun,
] as const
