import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { type Scope, sandboxScopesOf } from '../../workflows/domain/credential.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { secretSha256 } from '../keys/derived-tokens.ts'
import { sealCredential } from '../keys/envelope.ts'
import { receiptView } from '../receipt-view.ts'
import { listCredentials } from '../store/agent-credentials.ts'
import { insertSigningVersion, listSpeakingKeys } from '../store/agent-signing-versions.ts'
import type { Contact } from '../store/agent-tables.ts'
import { type AgentRow, findAgentByKey, insertAgent } from '../store/agents.ts'
import { answerCall, type CallRow, claimGrant, findCall } from '../store/calls.ts'
import { clockSeconds, type Tx, transaction } from '../store/db.ts'
import { send } from '../store/pipeline.ts'
import { appendReceipt } from '../store/receipts.ts'
import { assertCallback } from '../tasks/asked-input.ts'
import { grantAccess } from './access.ts'
import type { AgentDeps } from './deps.ts'
import { agentView, nextAction } from './views.ts'

/** What an agent says of itself (endpoints.md §9, submit_manifest); keys are public JWKs. */
export type Manifest = {
  name: string
  contact: Contact
  capabilities: string[]
  rails: string[]
  public_key: { kty: 'OKP'; crv: 'Ed25519'; x: string }
  encryption_key?: { kty: 'OKP'; crv: 'X25519'; x: string } | undefined
  protocols: string[]
  account?: { name: string; country?: string | undefined } | undefined
  requested_scopes: Scope[]
  sandbox: boolean
}

/**
 * Registers an agent: its row, its account, its first key, the onboarding receipt and the call's answer are one transaction. A
 * sandbox agent is trusted at once, within the sandbox's scopes. The answer is stored without the status token, which is derived
 * again for each who may have it. Throws 409 `key_already_registered`, and 422
 * `callback_refused` for a callback URL inside, or elsewhere than the demo receiver for a sandbox.
 */
export async function registerAgent(deps: AgentDeps, manifest: Manifest, callId: string): Promise<void> {
  await assertSealable(manifest)
  assertCallback(deps.callbackHosts, manifest.contact.callback_url ?? null, manifest.sandbox)
  const keySha256 = digestOf(manifest.public_key)
  const agentId = `agt_${digestOf({ type: 'service.agent.v1', key_sha256: keySha256 })}`
  await transaction(deps.db, async (tx) => {
    await claimGrant(tx, callId, agentId)
    const statusTokenSha256 = secretSha256(await deps.tokens.statusToken('st', callId))
    const ours = { keySha256, statusTokenSha256, registrationCall: callId }
    const agent = await insertAgent(tx, { ...rowOf(manifest, agentId), ...ours })
    if (agent === undefined) throw keyTaken()
    if (!(await insertSigningVersion(tx, { agentId, version: 1, publicKey: manifest.public_key, keySha256 })))
      throw keyTaken()
    if (agent.sandbox) await openSandbox(tx, agent)
    const receipt = receiptView(await onboardingReceipt(deps, tx, agent))
    const next_action = nextAction(agent, await listCredentials(tx, agentId))
    const answer = { agent: agentView(agent), trust_state: agent.trust_state, next_action, receipt }
    await send(tx, answerCall(callId, agentId, 201, answer))
  })
}

/** The call that registered this public key, where the key still speaks for its agent. */
export async function registrationBy(
  db: Tx,
  publicJwk: Readonly<Record<string, unknown>>,
): Promise<CallRow | undefined> {
  const keySha256 = digestOf(publicJwk)
  const agent = await findAgentByKey(db, keySha256)
  if (agent?.registration_call == null) return undefined
  const speaking = await listSpeakingKeys(db, agent.agent_id)
  if (!speaking.some(({ public_key }) => digestOf(public_key) === keySha256)) return undefined
  return findCall(db, agent.registration_call)
}

/** The stored answer of a registration with the status token of its call, and where it is read. */
export async function withStatusToken(
  deps: Pick<AgentDeps, 'tokens' | 'baseUrl'>,
  answer: Record<string, unknown>,
  callId: string,
) {
  const status_token = await deps.tokens.statusToken('st', callId)
  return { ...answer, status_token, status_url: `${deps.baseUrl}/api/agents/status/${status_token}` }
}

/** A key that nothing can be sealed to is refused now, not when the agent waits for its credential. */
async function assertSealable({ encryption_key }: Manifest): Promise<void> {
  if (encryption_key === undefined) return
  await sealCredential({ credential: '', credential_id: '' }, encryption_key).catch(() => {
    const errors = [{ pointer: '/encryption_key', message: 'not a key to seal to' }]
    throw refuse(
      'invalid_request',
      'nothing can be sealed to encryption_key',
      'Send the public half of a fresh X25519 key.',
      {
        errors,
      },
    )
  })
}

const rowOf = (manifest: Manifest, agentId: string) => ({
  agentId,
  account: {
    accountId: `acc_${digestOf({ type: 'service.account.v1', owner: agentId })}`,
    name: manifest.account?.name ?? manifest.name,
    country: manifest.account?.country ?? null,
  },
  name: manifest.name,
  contact: manifest.contact,
  capabilities: manifest.capabilities,
  rails: manifest.rails,
  protocols: manifest.protocols,
  requestedScopes: manifest.requested_scopes,
  publicKey: manifest.public_key,
  encryptionKey: manifest.encryption_key ?? null,
  sandbox: manifest.sandbox,
})

const openSandbox = (tx: Tx, agent: AgentRow): Promise<void> =>
  grantAccess(tx, agent, {
    version: 1,
    scopes: sandboxScopesOf(agent.requested_scopes),
    rails: agent.rails,
    overlapSeconds: 0,
    actor: 'sandbox_policy',
  })

async function onboardingReceipt(
  { issuer, environment, signReceipt }: AgentDeps,
  tx: Tx,
  agent: AgentRow,
): Promise<string> {
  const { agent_id, account_id, name, rails, requested_scopes, key_sha256, sandbox, trust_state } = agent
  const facts = { agent_id, account_id, name, rails, requested_scopes, key_sha256, sandbox, trust_state }
  const usage = sandbox ? 'synthetic' : 'operational'
  const receipt = { subject: agent_id, kind: 'onboarding', usage, environment, issuer, facts }
  return appendReceipt(tx, signReceipt, receipt, Math.floor(await clockSeconds(tx)))
}

const keyTaken = () =>
  refuse(
    'key_already_registered',
    'an agent with this public key is registered',
    'Use its status URL, or repeat its registration signed by this key in X-Agent-Signature.',
  )
