import { activationPathRead } from './activation-read.ts'
import { activationStart } from './activation-start.ts'
import { customerRunStart } from './customer-run-start.ts'
import { customerRunsRead } from './customer-runs-read.ts'
import { firstPaidRunExecute } from './first-paid-run-execute.ts'
import { firstPaidRunRead } from './first-paid-run-read.ts'
import { workflowCreate } from './workflow-create.ts'
import { workflowDelete, workflowPause, workflowResume } from './workflow-moves.ts'
import { workflowRead } from './workflow-read.ts'
import { workflowRun } from './workflow-run.ts'
import { writeGateRead } from './write-gate-read.ts'
import { writeGateValidate } from './write-gate-validate.ts'

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
