import { contractAccept, contractPrepare, contractRead, preflight, taskLedger } from './contract.ts'
import {
  taskExceptionRaise,
  taskExceptionsRead,
  taskProposalDecline,
  taskRecover,
} from './exceptions.ts'
import { taskAttestation, taskReplayPackage, taskReplayPrepare, taskSteps } from './records.ts'

/** How a task begins, is agreed on, read, stopped, and recovered. */
export const tasks = [
  preflight,
  contractPrepare,
  contractRead,
  contractAccept,
  taskLedger,
  taskSteps,
  taskAttestation,
  taskExceptionsRead,
  taskExceptionRaise,
  taskRecover,
  taskProposalDecline,
  taskReplayPackage,
  taskReplayPrepare,
] as const
