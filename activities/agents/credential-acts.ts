import { mayAct } from '../../workflows/domain/agent-trust.ts'
import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { type ReceiptView, receiptView } from '../receipt-view.ts'
import { type CredentialRow, findCredential, listCredentials, revokeCredential } from '../store/agent-credentials.ts'
import { type AgentRow, lockAgent } from '../store/agents.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { appendReceipt } from '../store/receipts.ts'
import { grantAccess } from './access.ts'
import type { Issuing } from './deps.ts'
import { credentialView } from './views.ts'

/** Who acts on an agent’s keys: an operator, or the agent itself. */
export type KeyActor = { operatorId: string; name: string } | { agentId: string }
export type RotateInput = { agentId: string; overlapSeconds: number; reason: string; revokeOld?: boolean }
export type CredentialAct = { credential: ReturnType<typeof credentialView>; receipt: ReceiptView }

/**
 * Prepares the next credential of an agent, which it claims by handshake, so that a key alone never gets its successor. The one
 * that works goes on until then and for the overlap after it, unless all that work are to be revoked at once. Throws 404, 403
 * `trust_required` and 409 `rotation_in_progress` while one waits to be claimed.
 */
export async function rotateCredential(
  deps: Issuing,
  tx: Tx,
  by: KeyActor,
  input: RotateInput,
): Promise<CredentialAct> {
  const { agentId, overlapSeconds, revokeOld = false } = input
  const agent = await lockAgent(tx, agentId)
  if (agent === undefined) throw refuse('not_found', 'no such agent', 'Check the agent id.')
  if (!mayAct(agent.trust_state))
    throw refuse('trust_required', `the agent is ${agent.trust_state}`, 'Decide about its trust first.')
  const credentials = await listCredentials(tx, agentId)
  const [newest] = credentials
  if (newest === undefined) throw new Error(`the trusted agent ${agentId} never had a credential`)
  if (newest.state === 'pending')
    throw refuse('rotation_in_progress', 'a credential waits to be claimed', 'Let the agent claim it, or revoke it.')
  const { scopes, rails, version } = newest
  if (revokeOld)
    for (const { state, credential_id } of credentials)
      if (state !== 'revoked') await revokeCredential(tx, credential_id)
  const actor = 'name' in by ? by.name : by.agentId
  await grantAccess(tx, agent, { version: version + 1, scopes, rails, overlapSeconds, actor })
  const [next] = await listCredentials(tx, agentId)
  return record(deps, tx, by, { act: 'rotate', reason: input.reason }, next as CredentialRow, agent)
}

/** Revokes a credential; once this commits, no process accepts it. Throws 404 and 409 `wrong_state` for one that is revoked. */
export async function revokeWithReceipt(
  deps: Issuing,
  tx: Tx,
  by: KeyActor,
  input: { credentialId: string; reason: string },
): Promise<CredentialAct> {
  const found = await findCredential(tx, input.credentialId)
  const agent = found && (await lockAgent(tx, found.agent_id))
  if (agent === undefined) throw refuse('not_found', 'no such credential', 'Check the id: the 16 hex after ag_.')
  const now = await findCredential(tx, input.credentialId)
  if (now?.state === 'revoked') throw refuse('wrong_state', 'the credential is revoked', 'Nothing is left to do.')
  const revoked = await revokeCredential(tx, input.credentialId)
  return record(deps, tx, by, { act: 'revoke', reason: input.reason }, revoked, agent)
}

async function record(
  deps: Issuing,
  tx: Tx,
  by: KeyActor,
  act: { act: 'rotate' | 'revoke'; reason: string },
  { credential_id, version, ...row }: CredentialRow,
  { agent_id }: AgentRow,
): Promise<CredentialAct> {
  const subject = `key_${digestOf({ credential_id, act: act.act })}`
  const receipt = await keyEvent(deps, tx, by, subject, { ...act, agent_id, credential_id, version })
  return { credential: credentialView({ credential_id, version, ...row }, await clockSeconds(tx)), receipt }
}

/** The signed receipt of what was done to an agent’s key, and by whom; a second one of the same subject is the first. */
export async function keyEvent(
  { issuer, environment, signReceipt }: Issuing,
  tx: Tx,
  by: KeyActor,
  subject: string,
  facts: Record<string, unknown>,
): Promise<ReceiptView> {
  const seconds = await clockSeconds(tx)
  const who = 'name' in by ? { operator_id: by.operatorId, operator_name: by.name } : { requested_by: by.agentId }
  const at = new Date(seconds * 1000).toISOString()
  const receipt = {
    subject,
    kind: 'key_event',
    usage: 'operational',
    environment,
    issuer,
    facts: { ...facts, ...who, at },
  }
  return receiptView(await appendReceipt(tx, signReceipt, receipt, Math.floor(seconds)))
}
