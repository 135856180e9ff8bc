import { randomBytes } from 'node:crypto'
import { type Evaluation, evaluate } from '#domain/authority/evaluate.ts'
import { type AuthorityFacts, remainingOf } from '#domain/authority/facts.ts'
import { writeAuthorityReceipt } from '../../activities/authority/deps.ts'
import {
  authorityKeyStatus,
  type ReadGrant,
  type ReadMandate,
  readGrant,
  readMandate,
} from '../../activities/authority/facts.ts'
import { insertDecision } from '../../activities/store/authority/actions.ts'
import { clockSeconds, type Tx } from '../../activities/store/postgres/db.ts'
import type { DecisionView } from '../shapes/delegations.ts'
import type { DelegationDeps } from './deps.ts'

type Presented = { signed_mandate: unknown; signed_action_grant?: unknown }
/** The artifacts of a question as they are stored; `lock` keeps them so until the transaction ends. */
export type ReadArtifacts = {
  readonly mandate: ReadMandate
  readonly grant: ReadGrant | undefined
  readonly nowMs: number
}

/** Reads mandate and grant, the mandate first. */
export async function readArtifacts(
  { keys }: DelegationDeps,
  tx: Tx,
  { signed_mandate, signed_action_grant }: Presented,
  { lock }: { lock: boolean },
): Promise<ReadArtifacts> {
  const keyStatus = await authorityKeyStatus(keys, tx)
  const mandate = await readMandate(tx, { keyStatus, lock }, signed_mandate)
  const grant =
    signed_action_grant === undefined
      ? undefined
      : await readGrant(tx, { keyStatus, lock }, signed_action_grant)
  return { mandate, grant, nowMs: (await clockSeconds(tx)) * 1000 }
}

/** The question that a decision answers. */
export type Question = {
  readonly purpose: 'evaluate' | 'grant' | 'execute'
  readonly artifacts: ReadArtifacts
  /** The agent that acts; undefined for an operator's question about a mandate that is none. */
  readonly agentId: string | undefined
  readonly action: AuthorityFacts['action']
}
export type Decided = { evaluation: Evaluation; view: DecisionView }

/** Evaluates a question and stores the decision with the deciding rules and its signed receipt. */
export async function decide(
  deps: DelegationDeps,
  tx: Tx,
  { purpose, artifacts, agentId, action }: Question,
): Promise<Decided> {
  const { mandate, grant, nowMs } = artifacts
  const facts = { nowMs, agentId: agentId ?? '', mandate: mandate.facts, action }
  const evaluation = evaluate({ ...facts, grant: grant?.facts })
  const { decision, deciding } = evaluation
  const decision_id = `dec_${randomBytes(32).toString('hex')}`
  const price_usd = action.priceUsd ?? null
  const named = {
    purpose,
    mandate_id: mandate.row?.mandate_id ?? null,
    grant_id: grant?.row?.grant_id ?? null,
    agent_id: agentId ?? null,
    operation_id: action.operationId,
    input_sha256: action.inputSha256,
    price_usd,
    decision,
  }
  const receipt = await writeAuthorityReceipt(deps, tx, {
    subject: decision_id,
    kind: 'authority_decision',
    facts: { ...named, rules: deciding },
    nowSeconds: nowMs / 1000,
  })
  const { receipt_id } = receipt
  await insertDecision(tx, { decision_id, ...named, rules: JSON.stringify(deciding), receipt_id })
  const remaining = 'flaw' in mandate.facts ? null : remainingOf(mandate.facts)
  const view = {
    decision_id,
    decision,
    reasons: deciding,
    would_spend_usd: price_usd,
    remaining,
    grant_required: true,
    receipt,
  }
  return { evaluation, view }
}
