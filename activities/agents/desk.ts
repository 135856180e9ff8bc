import { clockSeconds } from '../store/db.ts'
import type { AgentDeps } from './deps.ts'
import { assertHandshake, type HandshakeInput, type Speaker, shakeHands, withAccessKey } from './handshake.ts'
import { type Manifest, registerAgent, withStatusToken } from './registration.ts'
import { readAgentStatus } from './status.ts'

export type Agents = ReturnType<typeof openAgents>

/** Registration, status and handshake as operations see them; each act is one transaction with the use of its call. */
export function openAgents(deps: AgentDeps) {
  return {
    register: (manifest: Manifest, callId: string) => registerAgent(deps, manifest, callId),
    withStatusToken: (answer: Record<string, unknown>, callId: string) => withStatusToken(deps, answer, callId),
    status: (agentId: string) => readAgentStatus(deps, agentId),
    handshakeDocument: async () => ({
      protocol_versions: ['1'],
      nonce: deps.tokens.nonce(Math.floor(await clockSeconds(deps.db))),
      accepted_key_types: ['Ed25519'],
      text: ['service-agent-handshake-v1', 'nonce: <nonce>', 'token-sha256: <SHA-256 of the status token, 64 hex>'],
      gateway: { base_url: deps.baseUrl },
    }),
    assertHandshake: (speaker: Speaker, input: HandshakeInput) => assertHandshake(deps, speaker, input),
    shakeHands: (speaker: Speaker, input: HandshakeInput, callId: string) => shakeHands(deps, speaker, input, callId),
    withAccessKey: (answer: Record<string, unknown>) => withAccessKey(deps, answer),
  }
}
