import {
  evaluateAction,
  executeDelegatedAction,
  issueActionGrant,
  readControlPlane,
} from './actions.ts'
import {
  authorityContract,
  draftMandate,
  inspectMandate,
  issueMandate,
  revokeMandate,
} from './mandates.ts'

/** Delegated authority. */
export const authority = [
  authorityContract,
  readControlPlane,
  draftMandate,
  issueMandate,
  inspectMandate,
  issueActionGrant,
  evaluateAction,
  executeDelegatedAction,
  revokeMandate,
] as const
