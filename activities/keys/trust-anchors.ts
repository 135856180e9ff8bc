import { z } from 'zod'
import { readJsonFile } from '../config/config.ts'
import { type Alg, importPublicKey, type PublicJwk } from './compact.ts'
import type { KeyRing } from './key-ring.ts'

/** A mandate issuer that is trusted: `iss`, `kid`, its public key and the one algorithm it signs with. */
export type TrustAnchor = {
  readonly iss: string
  readonly kid: string
  readonly alg: Alg
  readonly publicJwk: PublicJwk
}

// Strict: a private member in a file of public keys is a mistake to stop at.
const publicJwkSchema = z.strictObject({
  kty: z.enum(['OKP', 'EC']),
  crv: z.enum(['Ed25519', 'P-256']),
  x: z.string(),
  y: z.string().optional(),
  kid: z.string().optional(),
  alg: z.string().optional(),
  use: z.literal('sig').optional(),
})

/** What TRUST_ANCHORS_FILE holds: `{anchors: [{iss, kid, alg, public_jwk}]}`. */
const trustAnchorsSchema = z.strictObject({
  anchors: z.array(
    z.strictObject({
      iss: z.string().min(1),
      kid: z.string().min(1),
      alg: z.enum(['EdDSA', 'ES256']),
      public_jwk: publicJwkSchema,
    }),
  ),
})

/** Every trusted mandate issuer: our own authority ring under `issuer`, and what the file names; an empty path means no file. */
export function loadTrustAnchors({
  authority,
  issuer,
  path,
}: {
  authority: KeyRing
  issuer: string
  path: string
}): TrustAnchor[] {
  const own = authority.publicKeys.map(({ kid, alg, publicJwk }) => ({
    iss: issuer,
    kid,
    alg,
    publicJwk,
  }))
  const others = path === '' ? [] : readJsonFile(path, trustAnchorsSchema).anchors
  const anchors = [
    ...own,
    ...others.map(({ iss, kid, alg, public_jwk }) => ({ iss, kid, alg, publicJwk: public_jwk })),
  ]
  for (const { alg, publicJwk } of anchors) importPublicKey(publicJwk, alg)
  const names = anchors.map(({ iss, kid }) => JSON.stringify([iss, kid]))
  if (new Set(names).size !== names.length)
    throw new Error('trust anchors: an issuer and kid stand twice')
  return anchors
}
