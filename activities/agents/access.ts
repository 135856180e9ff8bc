import { randomBytes } from 'node:crypto'
import type { CredentialFacts } from '../../workflows/domain/callback-body.ts'
import type { Scope } from '../../workflows/domain/credential.ts'
import type { DeliveryStep } from '../../workflows/domain/onboarding.ts'
import { findCredential, insertCredential } from '../store/agent-credentials.ts'
import { activateSigningVersion } from '../store/agent-signing-versions.ts'
import type { AgentRow } from '../store/agents.ts'
import { addDelivery } from '../store/callback-deliveries.ts'
import { listDeliveries, recordDelivery } from '../store/credential-deliveries.ts'
import type { Tx } from '../store/db.ts'
import { stateOf } from './views.ts'

/** What an agent is given, and by whom: an operator, or the policy of the sandbox. */
export type Access = { version: number; scopes: Scope[]; rails: string[]; overlapSeconds: number; actor: string }

/** The steps that the service takes by itself; the last one, `gateway_ready`, is the agent's claim. */
const steps: readonly DeliveryStep[] = [
  'trust_approved',
  'credential_envelope_created',
  'access_key_scoped',
  // The notice without the key stands at the status URL, which the contact has; a callback URL is told as well.
  'callback_or_contact_delivery',
  'rotation_ready',
]

/** Prepares a credential that the agent can claim, and its signing version; the caller holds the agent's lock. */
export async function grantAccess(tx: Tx, agent: AgentRow, access: Access): Promise<void> {
  const { agent_id: agentId, contact } = agent
  const { actor, ...credential } = access
  const credentialId = randomBytes(8).toString('hex')
  await insertCredential(tx, { credentialId, agentId, ...credential })
  await activateSigningVersion(tx, agentId)
  for (const step of steps) await recordDelivery(tx, credentialId, step, actor)
  if (contact.callback_url === undefined) return
  // Sent by its own workflow, which the sweep starts; the key is not in it.
  const notice = { owner: agentId, event: 'credential_ready', subject: credentialId, ordinal: 1 } as const
  await addDelivery(tx, { ...notice, url: contact.callback_url })
}

/** What a `credential_ready` callback tells, as of now; never the key. */
export async function readCredentialFacts(tx: Tx, credentialId: string): Promise<CredentialFacts> {
  const credential = await findCredential(tx, credentialId)
  if (credential === undefined) throw new Error(`the credential ${credentialId} is not there`)
  const { agent_id, credential_id, readAt } = credential
  const taken = await listDeliveries(tx, credentialId)
  return { agent_id, credential_id, state: stateOf(credential, readAt), sequence: taken.length }
}
