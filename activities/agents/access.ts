import { randomBytes } from 'node:crypto'
import type { Scope } from '../../workflows/domain/credential.ts'
import type { DeliveryStep } from '../../workflows/domain/onboarding.ts'
import { insertCredential } from '../store/agent-credentials.ts'
import { activateSigningVersion } from '../store/agent-signing-versions.ts'
import { recordDelivery } from '../store/credential-deliveries.ts'
import type { Tx } from '../store/db.ts'

/** What an agent is given, and by whom: an operator, or the policy of the sandbox. */
export type Access = { version: number; scopes: Scope[]; rails: string[]; overlapSeconds: number; actor: string }

/** The steps that the service takes by itself; the last one, `gateway_ready`, is the agent's claim. */
const steps: readonly DeliveryStep[] = [
  'trust_approved',
  'credential_envelope_created',
  'access_key_scoped',
  // The notice without the key: it stands at the status URL, which the contact has.
  'callback_or_contact_delivery',
  'rotation_ready',
]

/** Prepares a credential that the agent can claim, and its signing version; the caller holds the agent's lock. */
export async function grantAccess(tx: Tx, agentId: string, access: Access): Promise<string> {
  const { actor, ...credential } = access
  const credentialId = randomBytes(8).toString('hex')
  await insertCredential(tx, { credentialId, agentId, ...credential })
  await activateSigningVersion(tx, agentId)
  for (const step of steps) await recordDelivery(tx, credentialId, step, actor)
  return credentialId
}
