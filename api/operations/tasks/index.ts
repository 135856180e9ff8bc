import { taskAttestation } from './attestation.ts'
import { contractAccept } from './contract-accept.ts'
import { contractPrepare } from './contract-prepare.ts'
import { contractRead } from './contract-read.ts'
import { taskExceptionRaise } from './exception-raise.ts'
import { taskExceptionsRead } from './exceptions.ts'
import { taskLedger } from './ledger.ts'
import { preflight } from './preflight.ts'
import { taskProposalDecline } from './proposal-decline.ts'
import { taskRecover } from './recover.ts'
import { taskReplayPackage } from './replay-package.ts'
import { taskReplayPrepare } from './replay-prepare.ts'
import { taskSteps } from './steps.ts'

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
