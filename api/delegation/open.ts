import { randomBytes } from 'node:crypto'
import { authorityLimits } from '#domain/authority/artifacts.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { signArtifact } from '../../activities/authority/artifacts.ts'
import { writeAuthorityReceipt } from '../../activities/authority/deps.ts'
import { authorityKeyStatus } from '../../activities/authority/facts.ts'

import { storeGrant } from '../../activities/store/authority/grants.ts'
import type { AuthorityMandateRow } from '../../activities/store/authority/mandates.ts'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'
import { notifyDelegation } from '../../temporal/workflow-starts.ts'
import type { Adapters } from '../adapters.ts'
import { railsNamed } from '../auth/rails.ts'
import { createKeyedQueue } from '../calls/queues.ts'
import type { Context } from '../context.ts'
import type { AnyOperation } from '../operation.ts'

import type {
  AuthorityAsked,
  DecisionView,
  Delegations,
  GrantAsked,
  GrantView,
} from '../shapes/delegations.ts'
import { decide, type ReadArtifacts, readArtifacts } from './decide.ts'
import { denied } from './denied.ts'
import type { DelegationDeps } from './deps.ts'
import { execute } from './execute.ts'
import { type PreparedAction, prepareAction } from './prepare.ts'

type Operator = { operatorId: string; name: string }

/** Issues a grant for one call of an operation with this input, if the mandate permits the action now; 403 `authority_denied`. */
async function issueGrant(
  deps: DelegationDeps,
  operator: Operator,
  asked: GrantAsked,
  context: Context,
): Promise<GrantView> {
  const agentId = agentNamed(asked.signed_mandate)
  const prepared = await prepareAction(deps, asked.action, agentId ?? '', context)
  const result = await transaction(deps.db, async (tx) => {
    // The mandate is locked: a grant that is issued after a revocation would not be revoked by it.
    const artifacts = await readArtifacts(deps, tx, asked, { lock: true })
    const question = { purpose: 'grant', artifacts, agentId, action: prepared.facts } as const
    const { evaluation, view } = await decide(deps, tx, question)
    const { row } = artifacts.mandate
    if (evaluation.decision === 'deny' || row === undefined) return { view }
    const by = { operator, mandate: row, asked, prepared, artifacts }
    return { grant: await signGrant(deps, tx, by) }
  })
  if (result.grant === undefined) throw denied(result.view, prepared.refusal)
  return result.grant
}

/** The agent of a presented mandate, which is not verified yet. */
function agentNamed(presented: Record<string, unknown>): string | undefined {
  const { agent_id } = presented
  return typeof agent_id === 'string' && /^agt_[0-9a-f]{64}$/.test(agent_id) ? agent_id : undefined
}

type Issue = {
  operator: Operator
  mandate: AuthorityMandateRow
  asked: GrantAsked
  prepared: PreparedAction
  artifacts: ReadArtifacts
}

async function signGrant(
  deps: DelegationDeps,
  tx: Tx,
  { operator, mandate, asked, prepared, artifacts }: Issue,
): Promise<GrantView> {
  const { action } = asked
  const { operationId, inputSha256, priceUsd = 0, spendUsd } = prepared.facts
  const { operatorId } = operator
  const key = { operator: operatorId, idempotency_key: action.idempotency_key }
  const seconds = action.expires_in_seconds ?? authorityLimits.grantSecondsDefault
  const signed = await signArtifact('grant', await authorityKeyStatus(deps.keys, tx), {
    schema: 'action-grant.v1',
    grant_id: `gr_${digestOf(key)}`,
    issuer: deps.origin,
    mandate_id: mandate.mandate_id,
    agent_id: mandate.agent_id,
    operation_id: operationId,
    input_sha256: inputSha256,
    spend_usd_max: spendUsd ?? priceUsd,
    expires_at: new Date(artifacts.nowMs + seconds * 1000).toISOString(),
    nonce: randomBytes(16).toString('hex'),
  })
  const { document, grant_id } = await storeGrant(tx, {
    grant_id: signed.grant_id,
    mandate_id: signed.mandate_id,
    agent_id: signed.agent_id,
    operation_id: signed.operation_id,
    input_sha256: signed.input_sha256,
    spend_usd_max: signed.spend_usd_max,
    document: JSON.stringify(signed),
    issued_by: operator.name,
    expires_at: new Date(signed.expires_at),
  })
  const { schema: _schema, context: _context, signature: _signature, ...facts } = document
  const receipt = await writeAuthorityReceipt(deps, tx, {
    subject: grant_id,
    kind: 'grant',
    facts: { ...facts, issued_by: operator.name },
    nowSeconds: artifacts.nowMs / 1000,
  })
  return { signed_action_grant: document, grant_id, expires_at: document.expires_at, receipt }
}

/** What agents may do under mandates and grants, over the operations of the registry that can be delegated. */
function createDelegations(deps: DelegationDeps): Delegations<Context> {
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

/** Delegated authority, over the operations of the registry. */
export const openDelegations = (adapters: Adapters, registry: readonly AnyOperation[]) => ({
  delegations: createDelegations({
    ...adapters,
    origin: adapters.baseUrl,
    registry,
    agents: { railsNamed: (agentId, input) => railsNamed(adapters.db, agentId, input) },
    notify: (actionId) => notifyDelegation(adapters.client, actionId),
    waitMs: adapters.config.EXECUTE_WAIT_MS,
    queue: createKeyedQueue(),
  }),
})
