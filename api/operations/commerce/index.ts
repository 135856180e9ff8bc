import { activityFeedPublish } from './activity-feed-publish.ts'
import { activityFeedRead } from './activity-feed-read.ts'
import { agentPassportRead } from './agent-passport-read.ts'
import { agentPassportVerify } from './agent-passport-verify.ts'
import { commerceProofEvaluate } from './commerce-proof-evaluate.ts'
import { commerceProofRead } from './commerce-proof-read.ts'
import { freeProofRead } from './free-proof-read.ts'
import { freeProofRun } from './free-proof-run.ts'
import { investorDemoRead, investorDemoV2Read } from './investor-demo-read.ts'
import { investorDemoRun, investorDemoV2Run } from './investor-demo-run.ts'
import { modelAnalysisRead } from './model-analysis-read.ts'
import { modelAnalysisRun } from './model-analysis-run.ts'
import { modelRelayRead } from './model-relay-read.ts'
import { modelRelayRun } from './model-relay-run.ts'
import { receiptCompletionRead } from './receipt-completion-read.ts'
import { receiptCompletionRun } from './receipt-completion-run.ts'

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
