import { handoffBuild, handoffVerify, passportIssue, passportVerify } from './passports.ts'
import { proofList, proofRetrieve, proofStore, scorecardCompute } from './proofs.ts'

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
