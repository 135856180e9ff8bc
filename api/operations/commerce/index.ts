import { activityFeedPublish } from './activity-feed-publish.ts'
import { activityFeedRead } from './activity-feed-read.ts'
import { commerceProofEvaluate } from './commerce-proof-evaluate.ts'
import { commerceProofRead } from './commerce-proof-read.ts'
import { modelAnalysisRead } from './model-analysis-read.ts'
import { modelAnalysisRun } from './model-analysis-run.ts'

/** Commerce proofs, the activity feed, and analyses of evidence. */
export const commerce = [
  commerceProofRead,
  commerceProofEvaluate,
  activityFeedRead,
  activityFeedPublish,
  modelAnalysisRead,
  modelAnalysisRun,
] as const
