import { deniedToSandbox, type Scope, sandboxScopesOf } from '#domain/agents/credential.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { AgentRecordKind } from '#domain/core/record-kinds.ts'
import { grantAccess } from '../../../activities/agents/access.ts'
import { agentView, nextAction } from '../../../activities/agents/views.ts'
import { secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { sealCredential } from '../../../activities/keys/envelope.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { listCredentials } from '../../../activities/store/agents/agent-credentials.ts'
import {
  insertSigningVersion,
  listSpeakingKeys,
  takeKeyBack,
} from '../../../activities/store/agents/agent-signing-versions.ts'
import {
  type AgentRow,
  findAgentByKey,
  insertAgent,
  insertIdentity,
  lockAgent,
} from '../../../activities/store/agents/agents.ts'
import {
  answerCall,
  type CallRow,
  claimGrant,
  findCall,
} from '../../../activities/store/calls/calls.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { Contact } from '../../../activities/store/schema/json-columns.ts'
import { assertCallback } from '../inputs/asked-input.ts'
import type { AgentDeps } from './deps.ts'
import { type Identity, type IdentityClaim, type IdentityDeps, verifyIdentity } from './identity.ts'
import { agentStatus } from './status.ts'

/** The manifest that an agent registers with; keys are public JWKs. */
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
  identity?: IdentityClaim | undefined
}

/** Registrations of agents and their status. */
export class RegistrationService {
  private readonly deps: AgentDeps & { identities: IdentityDeps }

  constructor(deps: AgentDeps & { identities: IdentityDeps }) {
    this.deps = deps
  }

  /**
   * Registers an agent: its row, its account, its first key, the onboarding receipt and the call's answer are one transaction. A
   * sandbox agent is trusted at once, within the sandbox's scopes. A call that the key signed takes it back from an agent whose
   * holder never showed that it has the key. Throws 409 `key_already_registered`, and 422 `callback_refused`
   * for a callback URL that is not public, or that is not the demo receiver for a sandbox; and what `verifyIdentity` throws.
   */
  async register(manifest: Manifest, callId: string, network: string): Promise<void> {
    const { db, tokens, callbackHosts, identities } = this.deps
    await assertSealable(manifest)
    assertCallback(callbackHosts, manifest.contact.callback_url ?? null, manifest.sandbox)
    const keySha256 = digestOf(manifest.public_key)
    const claim = manifest.identity
    const identity = claim === undefined ? null : await verifyIdentity(identities, claim, keySha256)
    await transaction(db, async (tx) => {
      const agentId = await freeAgentId(tx, keySha256, callId)
      await claimGrant(tx, callId, agentId)
      const statusTokenSha256 = secretSha256(await tokens.statusToken('st', callId))
      const ours = { keySha256, statusTokenSha256, registrationCall: callId, network }
      const agent = await insertAgent(tx, { ...rowOf(manifest, agentId), ...ours })
      const version = { agentId, version: 1, publicKey: manifest.public_key, keySha256 }
      if (agent === undefined || !(await insertSigningVersion(tx, version))) throw keyTaken()
      if (identity !== null) await insertIdentity(tx, { agent_id: agentId, ...identity })
      if (agent.sandbox) await openSandbox(tx, agent)
      const receipt = receiptView(await onboardingReceipt(this.deps, tx, agent, identity))
      const next_action = nextAction(agent, await listCredentials(tx, agentId))
      const { trust_state } = agent
      const shown = { agent: agentView(agent), trust_state, identity, ...accessOf(agent) }
      const answer = { ...shown, next_action, receipt }
      await answerCall(callId, agentId, 201, answer).run(tx)
    })
  }

  /** Adds the status token, which is derived and never stored, and its URL to the stored answer of a registration. */
  async withStatusToken(answer: Record<string, unknown>, callId: string) {
    const status_token = await this.deps.tokens.statusToken('st', callId)
    const status_url = `${this.deps.baseUrl}/api/agents/status/${status_token}`
    return { ...answer, status_token, status_url }
  }

  /** Trust, the newest credential, the newest tasks and the steps of onboarding, as the status URL shows them. */
  status(agentId: string, kind?: AgentRecordKind) {
    return transaction(this.deps.db, (tx) => agentStatus(tx, agentId, kind))
  }
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

/** The id of a new agent with this key; throws 409 `key_already_registered` where it is another's. */
async function freeAgentId(tx: Tx, key_sha256: string, callId: string): Promise<string> {
  const id = { type: 'service.agent.v1', key_sha256 }
  const known = await findAgentByKey(tx, key_sha256)
  if (known === undefined) return `agt_${digestOf(id)}`
  await lockAgent(tx, known.agent_id)
  const isSigned = (await findCall(tx, callId))?.caller === `key:${key_sha256}`
  if (!isSigned || !(await takeKeyBack(tx, known.agent_id))) throw keyTaken()
  return `agt_${digestOf({ ...id, instead_of: known.agent_id })}`
}

/** Refuses an unusable encryption key now, not when the agent waits for its credential. */
async function assertSealable({ encryption_key }: Manifest): Promise<void> {
  if (encryption_key === undefined) return
  await sealCredential({ credential: '', credential_id: '' }, encryption_key).catch(() => {
    throw refuse('invalid_request', {
      detail: 'the service cannot encrypt to encryption_key',
      next_action: 'Send the public half of a fresh X25519 key.',
      errors: [{ pointer: '/encryption_key', message: 'not a usable public key' }],
    })
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

/** What becomes of the scopes that were asked for: a sandbox has its own, and an operator decides about all others. */
const accessOf = ({ sandbox, requested_scopes }: AgentRow) => ({
  granted_scopes: sandbox ? sandboxScopesOf(requested_scopes) : [],
  denied_scopes: sandbox ? deniedToSandbox(requested_scopes) : [],
})

async function onboardingReceipt(
  deps: AgentDeps,
  tx: Tx,
  agent: AgentRow,
  identity: Identity | null,
): Promise<string> {
  const { agent_id, account_id, name, rails, requested_scopes, key_sha256, sandbox, trust_state } =
    agent
  const facts = {
    agent_id,
    account_id,
    name,
    rails,
    requested_scopes,
    key_sha256,
    sandbox,
    trust_state,
    ...(identity === null ? {} : { identity }),
  }
  const usage = sandbox ? 'synthetic' : 'operational'
  return issueReceipt(deps, tx, { subject: agent_id, kind: 'onboarding', usage, facts })
}

const keyTaken = () =>
  refuse('key_already_registered', {
    detail: 'an agent with this public key is registered',
    next_action:
      'Use its status URL, or send the registration signed by this key in X-Agent-Signature.',
  })
