import { randomBytes } from 'node:crypto'
import type { Scope } from '#domain/agents/credential.ts'
import type { CredentialFacts } from '#domain/callbacks/callback-body.ts'
import { findCredential, insertCredential } from '../store/agents/agent-credentials.ts'
import { activateSigningVersion } from '../store/agents/agent-signing-versions.ts'
import type { AgentRow } from '../store/agents/agents.ts'
import { listDeliveries, recordDeliveryThrough } from '../store/agents/credential-deliveries.ts'
import { addDelivery } from '../store/callbacks/callback-deliveries.ts'
import type { Tx } from '../store/postgres/db.ts'
import { stateOf } from './views.ts'

/** The access that an operator or the sandbox policy grants to an agent. */
export type Access = {
  version: number
  scopes: Scope[]
  rails: string[]
  overlapSeconds: number
  actor: string
}

/**
 * Prepares a credential that the agent can claim, and its signing version; the caller holds the agent's lock. The step of the
 * delivery is taken when the notice reaches the callback URL, or else when the agent claims the key.
 */
export async function grantAccess(tx: Tx, agent: AgentRow, access: Access): Promise<void> {
  const { agent_id: agentId, contact } = agent
  const { actor, ...credential } = access
  const credentialId = randomBytes(8).toString('hex')
  await insertCredential(tx, { credentialId, agentId, ...credential })
  await activateSigningVersion(tx, agentId)
  await recordDeliveryThrough(tx, credentialId, 'access_key_scoped', actor)
  if (contact.callback_url === undefined) return
  // The sweep starts the workflow that sends the notice. The notice does not contain the key.
  const notice = {
    owner: agentId,
    event: 'credential_ready',
    subject: credentialId,
    ordinal: 1,
  } as const
  await addDelivery(tx, { ...notice, url: contact.callback_url })
}

/** A receiver took the notice that a credential is ready; its signing version can be rotated since it was granted. */
export const recordNotice = (tx: Tx, credentialId: string): Promise<void> =>
  recordDeliveryThrough(tx, credentialId, 'rotation_ready', 'callback')

/** The current facts of a `credential_ready` callback, without the key. */
export async function readCredentialFacts(tx: Tx, credentialId: string): Promise<CredentialFacts> {
  const credential = await findCredential(tx, credentialId)
  if (credential === undefined) throw new Error(`the credential ${credentialId} is not there`)
  const { agent_id, credential_id, readAt } = credential
  const taken = await listDeliveries(tx, credentialId)
  return { agent_id, credential_id, state: stateOf(credential, readAt), sequence: taken.length }
}
