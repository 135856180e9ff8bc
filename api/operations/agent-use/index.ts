import { readAgentUsePack } from './pack.ts'
import { recordAgentUseReceipt } from './record-receipt.ts'
import { fetchReturnPackage } from './return-package.ts'
import { agentUseRead, getRunStatus } from './run-status.ts'
import { readAgentUseRuns } from './runs.ts'
import { startAgentRun } from './start.ts'

/** Runs that agents buy by themselves; the modes of quotes and challenges are among those of money (endpoints §11). */
export const agentUse = [
  agentUseRead,
  readAgentUsePack,
  startAgentRun,
  getRunStatus,
  fetchReturnPackage,
  recordAgentUseReceipt,
  readAgentUseRuns,
] as const
