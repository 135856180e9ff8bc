import { activityFeedPublish } from './activity-feed-publish.ts'
import { activityFeedRead } from './activity-feed-read.ts'
import { commerceProofEvaluate } from './commerce-proof-evaluate.ts'
import { commerceProofRead } from './commerce-proof-read.ts'
import { freeProofRead } from './free-proof-read.ts'
import { freeProofRun } from './free-proof-run.ts'
import { modelAnalysisRead } from './model-analysis-read.ts'
import { modelAnalysisRun } from './model-analysis-run.ts'
import { modelRelayRead } from './model-relay-read.ts'
import { modelRelayRun } from './model-relay-run.ts'

/** Commerce proofs, the activity feed, analyses of evidence, their relays, and free proofs. */
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
] as const
