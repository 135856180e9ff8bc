import type { ModuleReference } from '../../keys/module-reference.ts'

export type Curve = 'Ed25519' | 'P-256' | 'secp256k1'
/** The public half of a key, as in a JWK (RFC 7517): `x` and `y` are base64url. */
export type PublicPoint = { kty: string; crv: string; x: string; y?: string | undefined }

/** A private key that stays in its module. */
export type ModuleKey = {
  readonly publicJwk: PublicPoint
  /**
   * Signs the bytes themselves with Ed25519, and a digest of 32 bytes with the other curves: 64 bytes. Each ECDSA signature of a
   * digest is another one. Throws `SignerRefusal` while the module does not answer.
   */
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/** What keeps private keys outside this process. */
export type KeyModule<Reference> = {
  /** Throws where there is not exactly one such key pair, it is of another curve, or its private half may leave the module. */
  open(reference: Reference, curve: Curve): Promise<ModuleKey>
  /** Makes a key pair of this name, or finds the one that was made before. Its private half never leaves the module. */
  make(name: string, curve: Curve): Promise<Reference>
  close(): void
}

/** The modules of a signer. */
export type Modules = {
  open(reference: ModuleReference, curve: Curve): Promise<ModuleKey>
  make(place: ModuleName, name: string, curve: Curve): Promise<ModuleReference>
  close(): void
}
export type ModuleName = 'pkcs11' | 'kms'
