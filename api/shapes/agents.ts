import { z } from 'zod'
import { keyStates, scopes } from '#domain/agents/credential.ts'
import { trustStates } from '#domain/agents/trust.ts'
import { TrustLimits } from '#domain/agents/trust-limits.ts'
import { isSoundKeyText } from '#domain/core/ed25519.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { Address, Time, WalletSignature } from '../fields.ts'

export const AgentId = z.string().regex(/^agt_[0-9a-f]{64}$/)
export const Rail = z.enum(railKeys)
export const Scope = z.enum(scopes)
export const TrustState = z.enum(trustStates)

/** 32 bytes as base64url in their one form, as the `x` of an OKP JWK has them. */
const KeyBytes = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/)
export const PublicKey = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: KeyBytes.refine(isSoundKeyText, 'a canonical Ed25519 key that is not of small order'),
})
export const EncryptionKey = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('X25519'),
  x: KeyBytes,
})

/** An agent as its owner and operators see it. */
export const Agent = z
  .strictObject({
    agent_id: AgentId,
    account_id: z.string(),
    name: z.string(),
    trust: z.strictObject({
      state: TrustState,
      decided_at: Time.nullable(),
      decision_id: z.string().nullable(),
      limits: TrustLimits.nullable(),
    }),
    capabilities: z.array(z.string()),
    rails: z.array(Rail),
    public_key: PublicKey,
    callback_url: z.string().nullable(),
    publish_profile: z.boolean(),
    created_at: Time,
  })
  .meta({ id: 'Agent' })

const identity = {
  chain_id: z.int().min(1).meta({ description: '8453, Base.' }),
  registry: Address.meta({ description: 'The identity registry that this service reads.' }),
  token_id: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,77})$/)
    .refine((text) => !/^[0-9]{1,78}$/.test(text) || BigInt(text) < 2n ** 256n, 'at most 256 bits')
    .meta({ description: 'Which ERC-8004 calls agentId.', examples: ['22'] }),
  owner: Address.meta({ description: 'Who owns that token.' }),
}

/** A token of an identity registry (ERC-8004) that the agent's wallet owned when the agent registered. */
export const AgentIdentity = z.strictObject(identity).meta({ id: 'AgentIdentity' })

export const IdentityClaim = z.strictObject({
  ...identity,
  signature: WalletSignature.meta({
    description:
      'personal_sign by the owner over four lines joined with LF: service-agent-identity-v1, origin: <base URL>, key-sha256: <digest of public_key as canonical JSON>, identity: eip155:<chain_id>:<registry, lowercase>/<token_id>.',
  }),
})

/** A credential without its secret. */
export const Credential = z
  .strictObject({
    credential_id: z.string().regex(/^[0-9a-f]{16}$/),
    version: z.int(),
    scopes: z.array(Scope),
    rails: z.array(Rail),
    state: z.enum(keyStates),
    rotate_by: Time.nullable().meta({ description: 'When it stops working by itself.' }),
  })
  .meta({ id: 'AgentCredential' })
