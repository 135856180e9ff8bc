import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { handshakeText } from '#domain/agents/signature.ts'
import { type Client, createClient, type InputOf, ProblemError } from '../../api/http/client.ts'

export type Hosts = { base: string; os: string }

/** On a busy machine the API answers some calls with “unavailable, retryable”: what only prepares a test makes them again. */
export const patience = { retryForMs: 30_000 }

const jwk = (key: KeyObject) => {
  const { kty, crv, x } = key.export({ format: 'jwk' })
  return { kty, crv, x } as { kty: 'OKP'; crv: 'Ed25519'; x: string }
}

/** An agent with a key of its own, as a reader of the documents alone would write it. */
export function newAgentClient(hosts: Hosts, options: Partial<typeof patience> = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const open = createClient({ baseUrl: hosts.base, osUrl: hosts.os, ...options })
  const signText = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url')
  const manifest = (more: Partial<InputOf<'agent-register'>> = {}): InputOf<'agent-register'> => ({
    name: 'Ledger reader',
    contact: { email: 'ops@agent.example' },
    capabilities: ['reconciles usage'],
    rails: ['tokenops', 'financeops'],
    public_key: jwk(publicKey),
    requested_scopes: ['runs:read', 'runs:write', 'signing:use'],
    idempotency_key: `reg-${randomBytes(6).toString('hex')}`,
    ...more,
  })
  const freshNonce = async () => (await open.call('handshake-read', {})).body.nonce
  const signed = (nonce: string, token: string) =>
    signText(handshakeText(nonce, createHash('sha256').update(token).digest('hex')))
  return {
    publicKey: jwk(publicKey),
    publicKeyObject: publicKey,
    privateKey,
    signText,
    signed,
    manifest,
    freshNonce,
    register: async (more?: Partial<InputOf<'agent-register'>>) =>
      (await open.call('agent-register', manifest(more))).body,
    status: async (statusToken: string) => {
      const { body } = await createClient({ baseUrl: hosts.base, statusToken }).call(
        'agent-status',
        {},
      )
      if (body.kind !== 'agent') throw new Error('the status of an agent was expected')
      return body
    },
    shake: async (statusToken: string, claim_credential: boolean, given?: string) => {
      const nonce = given ?? (await freshNonce())
      const input = {
        nonce,
        signature: signed(nonce, statusToken),
        protocol_version: '1' as const,
        claim_credential,
      }
      const holder = { baseUrl: hosts.base, osUrl: hosts.os, statusToken, ...options }
      return createClient(holder).call('handshake', input)
    },
  }
}

/** The root of the evidence of a subject; zeros for an unknown subject. */
export async function evidenceRoot(
  operator: Pick<Client, 'call'>,
  subject_id: string,
): Promise<string> {
  try {
    const { evidence } = (await operator.call('loop-review-console', { subject_id })).body
    return evidence?.root_sha256 ?? ''
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'not_found') return '0'.repeat(64)
    throw error
  }
}

/** An operator's decision about a subject, an agent by default, with the evidence as it is now. */
export async function decide(
  hosts: Hosts,
  operator: string,
  subject_id: string,
  decision: 'approve' | 'reject' | 'revise' | 'hold',
  more: Partial<InputOf<'loop-review-record'>> = {},
) {
  const client = createClient({ baseUrl: hosts.base, operator, ...patience })
  const idempotency_key = `dec-${randomBytes(6).toString('hex')}`
  const input = {
    subject_kind: 'agent' as const,
    subject_id,
    decision,
    note: 'looked at',
    idempotency_key,
    evidence_seen_sha256: more.evidence_seen_sha256 ?? [await evidenceRoot(client, subject_id)],
    ...more,
  }
  return (await client.call('loop-review-record', input)).body
}

/** A trusted agent with its access key, which the operator may have limited. */
export async function trustedAgent(
  hosts: Hosts,
  operator: string,
  more?: Partial<InputOf<'agent-register'>>,
  limits: InputOf<'loop-review-record'>['limits'] = {},
) {
  const agent = newAgentClient(hosts, patience)
  const registered = await agent.register(more)
  if (more?.sandbox !== true)
    await decide(hosts, operator, registered.agent.agent_id, 'approve', { limits })
  const { body } = await agent.shake(registered.status_token, true)
  const envelope = body.credential_envelope
  if (envelope === null || envelope.sealed) throw new Error('the access key was expected in clear')
  return {
    agent,
    registered,
    credential: envelope.credential,
    credentialId: body.credential?.credential_id ?? '',
  }
}
