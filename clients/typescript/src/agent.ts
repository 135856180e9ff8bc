import { createHash } from 'node:crypto'
import type { Client, InputOf, OutputOf } from '../../../api/http/client.ts'
import { handshakeText } from '../../../workflows/domain/agents/signature.ts'
import { type AgentKey, createAgentKey, signText } from './agent-key.ts'
import { createClient, type Hosts } from './client.ts'

/** What an agent says of itself; without an idempotency key one is made. */
export type Manifest = Omit<InputOf<'agent-register'>, 'public_key' | 'idempotency_key'> & {
  idempotency_key?: string
}

/** An agent that the service knows; `open` presents its status token, which reads. Keep `key` and the token to come back. */
export type RegisteredAgent = {
  hosts: Hosts
  key: AgentKey
  registered: OutputOf<'agent-register'>
  open: Client
}

/** Registers an agent by its key, a new one unless it has one; an agent of the sandbox is trusted at once. */
export async function registerAgent(
  hosts: Hosts,
  { idempotency_key = crypto.randomUUID(), ...manifest }: Manifest,
  key: AgentKey = createAgentKey(),
): Promise<RegisteredAgent> {
  const public_key = { kty: key.kty, crv: key.crv, x: key.x } as const
  // A repeat is signed, so that it gets the first answer also where that was lost.
  const client = createClient({ ...hosts, signAsAgent: (text) => signText(key, text) })
  const { body: registered } = await client.call('agent-register', {
    ...manifest,
    public_key,
    idempotency_key,
  })
  const open = createClient({ ...hosts, statusToken: registered.status_token })
  return { hosts, key, registered, open }
}

/** Claims the access key of a trusted agent, once, with a signature of its registered key. */
export async function claimAccessKey({
  registered,
  open,
  key,
}: Omit<RegisteredAgent, 'hosts'>): Promise<string> {
  const { nonce } = (await open.call('handshake-read', {})).body
  const tokenSha256 = createHash('sha256').update(registered.status_token).digest('hex')
  const signature = signText(key, handshakeText(nonce, tokenSha256))
  const claim = { nonce, signature, protocol_version: '1', claim_credential: true } as const
  const envelope = (await open.call('handshake', claim)).body.credential_envelope
  if (envelope === null)
    throw new Error('there is no access key to claim: the agent is not trusted yet')
  if (envelope.sealed)
    throw new Error(
      'the access key is sealed: open its JWE with the encryption key of the manifest',
    )
  return envelope.credential
}

/** A client with the agent's access key, its status token, and signatures of its registered key. */
export function clientOf({ hosts, registered, key }: RegisteredAgent, accessKey: string): Client {
  return createClient({
    ...hosts,
    agent: accessKey,
    statusToken: registered.status_token,
    signAsAgent: (text) => signText(key, text),
  })
}
