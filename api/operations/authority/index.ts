import { draftMandate } from './draft-mandate.ts'
import { evaluateAction } from './evaluate-action.ts'
import { executeDelegatedAction } from './execute-delegated-action.ts'
import { inspectMandate } from './inspect-mandate.ts'
import { issueActionGrant } from './issue-action-grant.ts'
import { issueMandate } from './issue-mandate.ts'
import { authorityContract } from './read-contract.ts'
import { readControlPlane } from './read-control-plane.ts'
import { revokeMandate } from './revoke-mandate.ts'

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
