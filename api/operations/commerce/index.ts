import { activityFeedPublish } from './activity-feed-publish.ts'
import { activityFeedRead } from './activity-feed-read.ts'
import { commerceProofEvaluate } from './commerce-proof-evaluate.ts'
import { commerceProofRead } from './commerce-proof-read.ts'

/** Commerce proofs and the activity feed. */
export const commerce = [
  commerceProofRead,
  commerceProofEvaluate,
  activityFeedRead,
  activityFeedPublish,
] as const
