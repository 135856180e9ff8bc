import { handshakeText } from '../../workflows/domain/agent-signature.ts'
import { mayAct } from '../../workflows/domain/agent-trust.ts'
import { credentialText } from '../../workflows/domain/credential.ts'
import { type DomainError, refuse } from '../../workflows/domain/errors.ts'
import { limits } from '../../workflows/domain/limits.ts'
import { verifySignature } from '../keys/compact.ts'
import { secretSha256 } from '../keys/derived-tokens.ts'
import { sealCredential } from '../keys/envelope.ts'
import { type CredentialRow, claimCredential, listCredentials } from '../store/agent-credentials.ts'
import { listSpeakingKeys } from '../store/agent-signing-versions.ts'
import { type AgentRow, lockAgent } from '../store/agents.ts'
import { answerCall, claimGrant } from '../store/calls.ts'
import { recordDeliveryThrough } from '../store/credential-deliveries.ts'
import { clockSeconds, type Tx, transaction } from '../store/db.ts'
import { send } from '../store/pipeline.ts'
import type { AgentDeps } from './deps.ts'
import { credentialView, gatewayState } from './views.ts'

export type HandshakeInput = { nonce: string; signature: string; claim_credential: boolean }
export type Speaker = { agentId: string; tokenSha256: string }

/** The access key: sealed to the agent's encryption key, or else as it is, to whoever holds the registered key. */
type Envelope = { sealed: true; jwe: string } | { sealed: false }

/** Throws 401 `proof_invalid` unless the nonce is ours and a key that speaks for the agent signed it with the status token. */
export async function assertHandshake(deps: AgentDeps, speaker: Speaker, input: HandshakeInput): Promise<void> {
  const expiry = deps.tokens.nonceExpiry(input.nonce)
  if (expiry === undefined) throw unproven('the nonce is not one of this service')
  // A repeat is given the access key again, so that a handshake somebody saw once is worth nothing for long.
  if (expiry + limits.handshakeRepeatSeconds < (await clockSeconds(deps.db))) throw unproven('the nonce has expired')
  const text = handshakeText(input.nonce, speaker.tokenSha256)
  if (!(await spokeFor(deps, speaker.agentId, text, input.signature)))
    throw unproven('the signature is not of the registered key over the nonce and the status token')
}

/** Whether one of the keys that speak for the agent made this Ed25519 signature, 64 bytes as base64url. */
export async function spokeFor(
  deps: Pick<AgentDeps, 'db'>,
  agentId: string,
  text: string,
  signature: string,
): Promise<boolean> {
  const bytes = Buffer.from(signature, 'base64url')
  const keys = await listSpeakingKeys(deps.db, agentId)
  return keys.some(({ public_key }) => verifySignature({ alg: 'EdDSA', publicJwk: public_key }, text, bytes))
}

/**
 * Tells where the agent stands, and on its claim makes the waiting credential the active one; the claim and the call's answer are
 * one transaction, and the answer is stored without a key in clear. Throws 401 for a nonce that has expired, 403 `trust_required`
 * and 409 `already_claimed`.
 */
export async function shakeHands(
  deps: AgentDeps,
  speaker: Speaker,
  input: HandshakeInput,
  callId: string,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    await claimGrant(tx, callId, speaker.agentId)
    const now = await clockSeconds(tx)
    if ((deps.tokens.nonceExpiry(input.nonce) ?? 0) < now) throw unproven('the nonce has expired')
    const agent = await lockAgent(tx, speaker.agentId)
    if (agent === undefined) throw new Error(`the agent ${speaker.agentId} is not there`)
    const claimed = input.claim_credential ? await claim(deps, tx, agent) : undefined
    const credentials = await listCredentials(tx, agent.agent_id)
    const newest = claimed?.credential ?? credentials[0]
    const answer = {
      trust_state: agent.trust_state,
      gateway_state: gatewayState(agent, credentials, now),
      credential_envelope: claimed?.envelope ?? null,
      credential: newest === undefined ? null : credentialView(newest, now),
    }
    await send(tx, answerCall(callId, agent.agent_id, 200, answer))
  })
}

/** The stored answer of a handshake with the key in clear, where it was not sealed. */
export async function withAccessKey({ tokens }: Pick<AgentDeps, 'tokens'>, answer: Record<string, unknown>) {
  const { credential_envelope: envelope, credential } = answer as {
    credential_envelope: Envelope | null
    credential: { credential_id: string } | null
  }
  if (envelope === null || envelope.sealed || credential === null) return answer
  return { ...answer, credential_envelope: { ...envelope, credential: await keyOf(tokens, credential.credential_id) } }
}

async function claim(
  deps: AgentDeps,
  tx: Tx,
  agent: AgentRow,
): Promise<{ credential: CredentialRow; envelope: Envelope }> {
  if (!mayAct(agent.trust_state))
    throw refuse(
      'trust_required',
      `the agent is ${agent.trust_state}`,
      'Read the status URL until the agent is trusted.',
    )
  const waiting = (await listCredentials(tx, agent.agent_id)).find(({ state }) => state === 'pending')
  if (waiting === undefined) {
    const next = 'Repeat the handshake that claimed it, or have the key rotated.'
    throw refuse('already_claimed', 'no access key waits to be claimed', next)
  }
  const { credential_id } = waiting
  const secret = await deps.tokens.credentialSecret(credential_id)
  const credential = await claimCredential(tx, waiting, secretSha256(secret))
  await recordDeliveryThrough(tx, credential_id, 'gateway_ready', agent.agent_id)
  if (agent.encryption_key === null) return { credential, envelope: { sealed: false } }
  const content = { credential: await keyOf(deps.tokens, credential_id), credential_id }
  return { credential, envelope: { sealed: true, jwe: await sealCredential(content, agent.encryption_key) } }
}

const keyOf = async (tokens: AgentDeps['tokens'], credentialId: string): Promise<string> =>
  credentialText(credentialId, await tokens.credentialSecret(credentialId))

const unproven = (detail: string): DomainError =>
  refuse(
    'proof_invalid',
    detail,
    'Read the handshake document for a fresh nonce, and sign its text with the registered key.',
  )
