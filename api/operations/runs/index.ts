import { clearingRead } from './clearing-read.ts'
import { clearingRun } from './clearing-run.ts'
import { complianceSamplesRead } from './compliance-samples-read.ts'
import { readAgentUsePack } from './pack.ts'
import { recordAgentUseReceipt } from './record-receipt.ts'
import { fetchReturnPackage } from './return-package.ts'
import { returnPackageRead } from './return-package-read.ts'
import { agentUseRead, getRunStatus } from './run-status.ts'
import { readAgentUseRuns } from './runs.ts'
import { sampleReturnPackages } from './sample-return-packages.ts'
import { selfServeLoopRead } from './self-serve-read.ts'
import { selfServeLoopSubmit } from './self-serve-submit.ts'
import { startAgentRun } from './start.ts'
import { walletRunRead } from './wallet-run-read.ts'
import { walletRunStart } from './wallet-run-start.ts'

/** Runs: bought by an agent, submitted on an agreed contract, or paid from an allowance wallet. */
export const runs = [
  agentUseRead,
  readAgentUsePack,
  startAgentRun,
  getRunStatus,
  fetchReturnPackage,
  returnPackageRead,
  recordAgentUseReceipt,
  readAgentUseRuns,
  selfServeLoopRead,
  selfServeLoopSubmit,
  walletRunRead,
  walletRunStart,
  sampleReturnPackages,
  complianceSamplesRead,
  clearingRead,
  clearingRun,
] as const
