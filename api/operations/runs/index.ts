import { fetchReturnPackage, readAgentUsePack, returnPackageRead } from './packages.ts'
import {
  agentUseRead,
  clearingRead,
  clearingRun,
  getRunStatus,
  readAgentUseRuns,
  recordAgentUseReceipt,
} from './runs.ts'
import {
  complianceSamplesRead,
  sampleReturnPackages,
  selfServeLoopRead,
  selfServeLoopSubmit,
} from './samples.ts'
import { startAgentRun, walletRunRead, walletRunStart } from './start.ts'

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
