import { randomBytes } from 'node:crypto'
import type { Scope } from '#domain/agents/credential.ts'
import { accessKeyDelivery } from '#domain/agents/onboarding.ts'
import type { CredentialFacts } from '#domain/callbacks/callback-body.ts'
import { findCredential, insertCredential } from '../store/agents/agent-credentials.ts'
import { activateSigningVersion } from '../store/agents/agent-signing-versions.ts'
import type { AgentRow } from '../store/agents/agents.ts'
import {
  listDeliveries,
  recordDelivery,
  recordReached,
} from '../store/agents/credential-deliveries.ts'
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
  /** The operator has written to the agent's contact that its key waits. */
  contactNotified?: boolean | undefined
}

/**
 * Prepares a credential that the agent can claim, and its signing version; the caller holds the agent's lock. The notice is
 * delivered once the callback URL takes it, or once an operator has written to the contact.
 */
export async function grantAccess(tx: Tx, agent: AgentRow, access: Access): Promise<void> {
  const { agent_id: agentId, contact } = agent
  const { actor, contactNotified = false, ...credential } = access
  const credentialId = randomBytes(8).toString('hex')
  await insertCredential(tx, { credentialId, agentId, ...credential })
  await activateSigningVersion(tx, agentId)
  for (const step of accessKeyDelivery.slice(0, 3))
    await recordDelivery(tx, credentialId, step, actor)
  if (contactNotified) await recordNotice(tx, credentialId, actor)
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

/** The callback URL took the notice that a credential is ready, or an operator wrote to the contact. */
export async function recordNotice(tx: Tx, credentialId: string, actor: string): Promise<void> {
  await recordDelivery(tx, credentialId, 'callback_or_contact_delivery', actor)
  await recordReached(tx, credentialId)
}

/** The current facts of a `credential_ready` callback, without the key. */
export async function readCredentialFacts(tx: Tx, credentialId: string): Promise<CredentialFacts> {
  const credential = await findCredential(tx, credentialId)
  if (credential === undefined) throw new Error(`the credential ${credentialId} is not there`)
  const { agent_id, credential_id, readAt } = credential
  const taken = await listDeliveries(tx, credentialId)
  return { agent_id, credential_id, state: stateOf(credential, readAt), sequence: taken.length }
}
