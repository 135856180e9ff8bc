import { credentialText } from '#domain/agents/credential.ts'
import { handshakeText } from '#domain/agents/signature.ts'
import { mayAct } from '#domain/agents/trust.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { isSignedByAgent } from '../../../activities/agents/signatures.ts'
import { credentialView, gatewayState } from '../../../activities/agents/views.ts'
import { secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { sealCredential } from '../../../activities/keys/envelope.ts'
import {
  type CredentialRow,
  claimCredential,
  listCredentials,
} from '../../../activities/store/agents/agent-credentials.ts'
import { type AgentRow, lockAgent } from '../../../activities/store/agents/agents.ts'
import { recordReached } from '../../../activities/store/agents/credential-deliveries.ts'
import { answerCall, claimGrant } from '../../../activities/store/calls/calls.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { AgentDeps } from './deps.ts'

export type HandshakeInput = { nonce: string; signature: string; claim_credential: boolean }
/** The agent of a status token. */
export type HandshakeCaller = { agentId: string; tokenSha256: string }

/** The access key: encrypted to the agent's encryption key, or else in clear, for the holder of the registered key. */
type Envelope = { sealed: true; jwe: string } | { sealed: false }
type StoredAnswer = {
  credential_envelope: Envelope | null
  credential: { credential_id: string } | null
}

/** Handshakes, by which agents learn their trust state and receive their access keys. */
export class HandshakeService {
  private readonly deps: AgentDeps

  constructor(deps: AgentDeps) {
    this.deps = deps
  }

  /** What an agent signs, with a fresh nonce. */
  async document() {
    const { db, tokens, baseUrl } = this.deps
    return {
      protocol_versions: ['1'],
      nonce: tokens.nonce(Math.floor(await clockSeconds(db))),
      accepted_key_types: ['Ed25519'],
      text: [
        'service-agent-handshake-v1',
        'nonce: <nonce>',
        'token-sha256: <SHA-256 of the status token, 64 hex>',
      ],
      gateway: { base_url: baseUrl },
    }
  }

  /** Throws 401 `proof_invalid` unless the nonce is ours and a key of the agent signed it with the status token. */
  async assertSigned(caller: HandshakeCaller, input: HandshakeInput): Promise<void> {
    const { db, tokens } = this.deps
    const { nonce, signature } = input
    const expiry = tokens.nonceExpiry(nonce)
    if (expiry === undefined) throw unproven('the nonce is not one of this service')
    // A repeat receives the access key again, so a copied handshake may not stay valid for long.
    if (expiry + limits.handshakeRepeatSeconds < (await clockSeconds(db)))
      throw unproven('the nonce has expired')
    const text = handshakeText(nonce, caller.tokenSha256)
    if (!(await isSignedByAgent(db, { agentId: caller.agentId, text, signature })))
      throw unproven(
        'the signature is not one of the registered key over the nonce and status token',
      )
  }

  /**
   * Answers the trust state of the agent, and on its claim activates the waiting credential; the claim and the call's answer are
   * one transaction, and the stored answer has no key in clear. Throws 401 for an expired nonce, 403 `trust_required` and 409
   * `already_claimed`.
   */
  async shakeHands(
    { agentId }: HandshakeCaller,
    input: HandshakeInput,
    callId: string,
  ): Promise<void> {
    const { db, tokens } = this.deps
    await transaction(db, async (tx) => {
      await claimGrant(tx, callId, agentId)
      const now = await clockSeconds(tx)
      if ((tokens.nonceExpiry(input.nonce) ?? 0) < now) throw unproven('the nonce has expired')
      const agent = await lockAgent(tx, agentId)
      if (agent === undefined) throw new Error(`the agent ${agentId} is missing`)
      const claimed = input.claim_credential ? await this.#claim(tx, agent) : undefined
      const credentials = await listCredentials(tx, agentId)
      const newest = claimed?.credential ?? credentials[0]
      const answer = {
        trust_state: agent.trust_state,
        gateway_state: gatewayState(agent, credentials, now),
        credential_envelope: claimed?.envelope ?? null,
        credential: newest === undefined ? null : credentialView(newest, now),
      }
      await answerCall(callId, agentId, 200, answer).run(tx)
    })
  }

  /** The stored answer of a handshake with the key in clear, where it was not encrypted. */
  async withAccessKey(answer: Record<string, unknown>) {
    const { credential_envelope: envelope, credential: row } = answer as StoredAnswer
    if (envelope === null || envelope.sealed || row === null) return answer
    const credential = await this.#keyOf(row.credential_id)
    return { ...answer, credential_envelope: { ...envelope, credential } }
  }

  async #claim(
    tx: Tx,
    agent: AgentRow,
  ): Promise<{ credential: CredentialRow; envelope: Envelope }> {
    if (!mayAct(agent.trust_state))
      throw refuse('trust_required', { detail: `the agent is ${agent.trust_state}` })
    const credentials = await listCredentials(tx, agent.agent_id)
    const waiting = credentials.find(({ state }) => state === 'pending')
    if (waiting === undefined)
      throw refuse('already_claimed', {
        detail: 'no access key waits to be claimed',
      })
    const { credential_id } = waiting
    const secret = await this.deps.tokens.credentialSecret(credential_id)
    const credential = await claimCredential(tx, waiting, secretSha256(secret))
    await recordReached(tx, credential_id)
    if (agent.encryption_key === null) return { credential, envelope: { sealed: false } }
    const content = { credential: await this.#keyOf(credential_id), credential_id }
    const jwe = await sealCredential(content, agent.encryption_key)
    return { credential, envelope: { sealed: true, jwe } }
  }

  async #keyOf(credentialId: string): Promise<string> {
    return credentialText(credentialId, await this.deps.tokens.credentialSecret(credentialId))
  }
}

const unproven = (detail: string): DomainError =>
  refuse('proof_invalid', {
    detail,
    next_action:
      'Read the handshake document for a fresh nonce, and sign its text with the registered key.',
  })
