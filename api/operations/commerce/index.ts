import { activityFeedPublish, activityFeedRead } from './activity.ts'
import { modelAnalysisRead, modelAnalysisRun, modelRelayRead, modelRelayRun } from './analysis.ts'
import { receiptCompletionRead, receiptCompletionRun } from './completions.ts'
import {
  investorDemoRead,
  investorDemoRun,
  investorDemoV2Read,
  investorDemoV2Run,
} from './investor-demo.ts'
import { agentPassportRead, agentPassportVerify } from './passports.ts'
import { commerceProofEvaluate, commerceProofRead, freeProofRead, freeProofRun } from './proofs.ts'

/** Commerce proofs, the activity feed, analyses of evidence, their relays, free proofs, passports of agents, and completions of receipts. */
export const commerce = [
  commerceProofRead,
  commerceProofEvaluate,
  activityFeedRead,
  activityFeedPublish,
  modelAnalysisRead,
  modelAnalysisRun,
  modelRelayRead,
  modelRelayRun,
  freeProofRead,
  freeProofRun,
  agentPassportRead,
  agentPassportVerify,
  receiptCompletionRead,
  receiptCompletionRun,
  investorDemoRead,
  investorDemoRun,
  investorDemoV2Read,
  investorDemoV2Run,
] as const
