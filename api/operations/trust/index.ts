import { handoffBuild } from './handoff-build.ts'
import { handoffVerify } from './handoff-verify.ts'
import { passportIssue } from './passport-issue.ts'
import { passportVerify } from './passport-verify.ts'
import { proofList } from './proof-list.ts'
import { proofRetrieve } from './proof-retrieve.ts'
import { proofStore } from './proof-store.ts'
import { scorecardCompute } from './scorecard-compute.ts'

/** The trust service. */
export const trust = [
  passportIssue,
  passportVerify,
  proofStore,
  proofList,
  proofRetrieve,
  scorecardCompute,
  handoffBuild,
  handoffVerify,
] as const
