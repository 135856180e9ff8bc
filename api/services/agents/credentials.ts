import { mayAct } from '#domain/agents/trust.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { grantAccess } from '../../../activities/agents/access.ts'
import { credentialView } from '../../../activities/agents/views.ts'
import { type ReceiptView, receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  type CredentialRow,
  findCredential,
  listCredentials,
  revokeCredential,
} from '../../../activities/store/agents/agent-credentials.ts'
import { lockAgent } from '../../../activities/store/agents/agents.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { Issuing } from './deps.ts'
import { allowedOf } from './limits.ts'

/** Who changes an agent’s keys: an operator, or the agent itself. */
export type KeyActor = { operatorId: string; name: string } | { agentId: string }
export type RotateInput = {
  by: KeyActor
  agentId: string
  overlapSeconds: number
  reason: string
  revokeOld?: boolean
}
export type RevokeInput = { by: KeyActor; credentialId: string; reason: string }
export type CredentialChange = {
  credential: ReturnType<typeof credentialView>
  receipt: ReceiptView
}

/**
 * Prepares the next credential of an agent, which the agent claims by handshake, so that a key alone never gets its successor. The
 * active one works until the claim and for the overlap after it, unless `revokeOld` ends all of them at once. The next one is for what
 * the limits of the agent allow now. Throws 404, 403
 * `trust_required` and 409 `rotation_in_progress` while a credential waits to be claimed.
 */
export async function rotateCredential(
  deps: Issuing,
  tx: Tx,
  input: RotateInput,
): Promise<CredentialChange> {
  const { by, agentId, overlapSeconds, reason, revokeOld = false } = input
  const agent = await lockAgent(tx, agentId)
  if (agent === undefined) throw refuse('not_found', { detail: 'no such agent' })
  if (!mayAct(agent.trust_state))
    throw refuse('trust_required', {
      detail: `the agent is ${agent.trust_state}`,
      next_action: 'Decide about its trust first.',
    })
  const credentials = await listCredentials(tx, agentId)
  const [newest] = credentials
  if (newest === undefined) throw new Error(`the trusted agent ${agentId} never had a credential`)
  if (newest.state === 'pending')
    throw refuse('rotation_in_progress', {
      detail: 'a credential waits to be claimed',
    })
  const { version } = newest
  if (revokeOld)
    for (const { state, credential_id } of credentials)
      if (state !== 'revoked') await revokeCredential(tx, credential_id)
  const actor = 'name' in by ? by.name : by.agentId
  const { scopes, rails } = agent.sandbox ? newest : allowedOf(agent, agent.limits)
  await grantAccess(tx, agent, { version: version + 1, scopes, rails, overlapSeconds, actor })
  const [next] = await listCredentials(tx, agentId)
  return recordChange(deps, tx, { by, act: 'rotate', reason, row: next as CredentialRow })
}

/** Revokes a credential; once this commits, no process accepts it. Throws 404 and 409 `wrong_state` for one that is revoked. */
export async function revokeWithReceipt(
  deps: Issuing,
  tx: Tx,
  { by, credentialId, reason }: RevokeInput,
): Promise<CredentialChange> {
  const found = await findCredential(tx, credentialId)
  if (found === undefined || (await lockAgent(tx, found.agent_id)) === undefined)
    throw refuse('not_found', {
      detail: 'no such credential',
      next_action: 'Check the id: the 16 hex after ag_.',
    })
  const now = await findCredential(tx, credentialId)
  if (now?.state === 'revoked')
    throw refuse('wrong_state', {
      detail: 'the credential is revoked',
      next_action: 'Nothing is left to do.',
    })
  const revoked = await revokeCredential(tx, credentialId)
  return recordChange(deps, tx, { by, act: 'revoke', reason, row: revoked })
}

type Change = { by: KeyActor; act: 'rotate' | 'revoke'; reason: string; row: CredentialRow }

async function recordChange(
  deps: Issuing,
  tx: Tx,
  { by, act, reason, row }: Change,
): Promise<CredentialChange> {
  const { agent_id, credential_id, version } = row
  const subject = `key_${digestOf({ credential_id, act })}`
  const facts = { act, reason, agent_id, credential_id, version }
  const receipt = await keyEvent(deps, tx, { by, subject, facts })
  return { credential: credentialView(row, await clockSeconds(tx)), receipt }
}

type KeyEvent = { by: KeyActor; subject: string; facts: Record<string, unknown> }

/** The signed receipt of a change of an agent’s key, with its actor; a second one of the same subject is the first. */
export async function keyEvent(
  deps: Issuing,
  tx: Tx,
  { by, subject, facts }: KeyEvent,
): Promise<ReceiptView> {
  const seconds = await clockSeconds(tx)
  const who =
    'name' in by
      ? { operator_id: by.operatorId, operator_name: by.name }
      : { requested_by: by.agentId }
  const at = new Date(seconds * 1000).toISOString()
  const about = {
    subject,
    kind: 'key_event',
    usage: 'operational',
    facts: { ...facts, ...who, at },
  }
  return receiptView(await issueReceipt(deps, tx, { ...about, nowSeconds: seconds }))
}
