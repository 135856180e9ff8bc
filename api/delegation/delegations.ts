import { transaction } from '../../activities/store/postgres/db.ts'
import type { AuthorityAsked, Context, DecisionView, Delegations } from '../context.ts'
import { decide, readArtifacts } from './decide.ts'
import type { DelegationDeps } from './deps.ts'
import { execute } from './execute.ts'
import { agentNamed, issueGrant } from './grants.ts'
import { prepareAction } from './prepare.ts'

/** What agents may do under mandates and grants, over the operations of the registry that can be delegated. */
export function createDelegations(deps: DelegationDeps): Delegations {
  return {
    operations: deps.registry.filter(({ delegable }) => delegable).map(({ id }) => id),
    evaluate: (asked, context) => evaluateAction(deps, asked, context),
    issueGrant: (asked, context) => {
      const { caller } = context
      if (caller.kind !== 'operator') throw new TypeError('an operator issues grants')
      return issueGrant(deps, caller, asked, context)
    },
    execute: (asked, context) => execute(deps, asked, context),
  }
}

/** Judges an action and uses nothing; the decision is stored with its receipt. */
async function evaluateAction(
  deps: DelegationDeps,
  asked: AuthorityAsked,
  context: Context,
): Promise<DecisionView> {
  const { caller } = context
  const agentId = caller.kind === 'agent' ? caller.agentId : agentNamed(asked.signed_mandate)
  const { facts: action } = await prepareAction(deps, asked.action, agentId ?? '', context)
  return transaction(deps.db, async (tx) => {
    const artifacts = await readArtifacts(deps, tx, asked, { lock: false })
    const question = { purpose: 'evaluate', artifacts, agentId, action } as const
    return (await decide(deps, tx, question)).view
  })
}
