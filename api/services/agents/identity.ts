import { identityText } from '#domain/agents/signature.ts'
import { refuse } from '#domain/core/errors.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import type { ChainReader } from '../../../activities/chain/client.ts'
import { readTokenOwner } from '../../../activities/chain/identity.ts'
import type { WalletSignatures } from '../../../activities/chain/wallet-signature.ts'
import type { Config } from '../../../activities/config/config.ts'

type Hex = `0x${string}`
/** A claim to own a token of an identity registry, signed by the owner's wallet. */
export type IdentityClaim = {
  chain_id: number
  registry: string
  token_id: string
  owner: string
  signature: string
}
export type Identity = { chain_id: number; registry: Hex; token_id: string; owner: Hex }

export type IdentityDeps = {
  baseUrl: string
  /** The registry that is asked; empty: no identity is taken. */
  registry: Hex | ''
  wallets: Pick<WalletSignatures, 'verify'>
  reader: ChainReader
}

type Adapters = { wallets: WalletSignatures; chain: { reader: ChainReader } }

export const identitiesOf = (
  config: Pick<Config, 'BASE_URL' | 'IDENTITY_REGISTRY_ADDRESS'>,
  { wallets, chain }: Adapters,
): IdentityDeps => ({
  baseUrl: config.BASE_URL,
  registry: config.IDENTITY_REGISTRY_ADDRESS,
  wallets,
  reader: chain.reader,
})

/**
 * Verifies that the signer of the claim owns the token now; the signature names the key that registers. Throws 400
 * `unsupported_request` for another registry, 401 `proof_invalid` where signature or owner differ, and 503 `unavailable` without the chain.
 */
export async function verifyIdentity(
  { baseUrl, registry, wallets, reader }: IdentityDeps,
  claim: IdentityClaim,
  keySha256: string,
): Promise<Identity> {
  const identity = {
    chain_id: claim.chain_id,
    registry: claim.registry.toLowerCase() as Hex,
    token_id: claim.token_id,
    owner: claim.owner.toLowerCase() as Hex,
  }
  if (registry === '' || identity.chain_id !== CHAIN_ID || identity.registry !== registry)
    throw refuse('unsupported_request', {
      detail:
        registry === ''
          ? 'no identity registry is configured here'
          : `only identities of eip155:${CHAIN_ID}:${registry} are taken`,
      next_action: 'Register without identity, or name that registry.',
    })
  // The owner is read first, so that only the contract of a token's owner is asked for a signature.
  const owner = await readTokenOwner(reader, registry, BigInt(identity.token_id))
  if (owner !== identity.owner)
    throw unproven(
      '/identity/owner',
      owner === undefined
        ? 'the registry knows no such token'
        : 'the token belongs to another address',
    )
  const text = identityText({ origin: baseUrl, keySha256, ...identity })
  if (await wallets.verify(identity.owner, text, claim.signature as Hex)) return identity
  throw unproven('/identity/signature', 'the owner did not sign this claim for this key')
}

const unproven = (pointer: string, message: string) =>
  refuse('proof_invalid', {
    detail: message,
    next_action: 'Sign with the wallet that owns the token, or register without identity.',
    errors: [{ pointer, message }],
  })
