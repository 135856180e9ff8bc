import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto'
import { z } from 'zod'
import type { RingName } from '#domain/keys/rotation.ts'
import { readJsonFile } from '../config/config.ts'
import type { PublicKeyEntry } from '../store/keys/signing-keys.ts'
import {
  type Alg,
  assertFits,
  bytesOf,
  importPublicKey,
  type SigningKey,
  signBytes,
} from './compact.ts'
import { followFile } from './follow-file.ts'
import { moduleReferences } from './module-reference.ts'

export type { SigningKey } from './compact.ts'

/** One ring per purpose and one algorithm per ring (authority.md, Keys and signing versions). */
export const ringAlgs = {
  receipt: 'EdDSA',
  authority: 'EdDSA',
  checkout: 'ES256',
  callback: 'EdDSA',
  'agent-statement': 'EdDSA',
  log: 'EdDSA',
} as const satisfies Record<RingName, Alg>
export type Ring = RingName

/** One value for each ring. */
export function ofEachRing<T>(make: (ring: Ring) => T): Record<Ring, T> {
  return {
    receipt: make('receipt'),
    authority: make('authority'),
    checkout: make('checkout'),
    callback: make('callback'),
    'agent-statement': make('agent-statement'),
    log: make('log'),
  }
}

/** The public half of a key of ours, with the algorithm it verifies. */
export type RingPublicKey = PublicKeyEntry & { readonly alg: Alg; readonly state: FileState }
/**
 * A ring's keys that may sign, the one of choice first, then the newest; `active` is the one of choice, where nothing ended it.
 * `publicKeys` has those of every state.
 */
export type KeyRing = {
  readonly ring: Ring
  readonly active: SigningKey
  readonly keys: readonly SigningKey[]
  readonly publicKeys: readonly RingPublicKey[]
  /** Reads keys that were added to the file, if the ring was loaded from one. */
  reread?(): Promise<void>
}
export type KeyRings = Record<Ring, KeyRing>

/**
 * How a key stands in its file: `published` may not sign yet, `active` signs, `retiring` may still sign until every process uses the
 * active one, `retired` signs nothing more.
 */
export const fileStates = ['published', 'active', 'retiring', 'retired'] as const
type FileState = (typeof fileStates)[number]

const entry = {
  kid: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  alg: z.enum(['EdDSA', 'ES256']),
  state: z.enum(fileStates),
  /** The rotation for which the key was made; a repeat of its step gets the same key. */
  rotation_id: z.string().max(80).optional(),
}
const publicMembers = {
  kty: z.string(),
  crv: z.string(),
  x: z.string(),
  y: z.string().optional(),
}
const ownEntry = z.strictObject({
  ...entry,
  private_jwk: z.strictObject({ ...publicMembers, d: z.string() }),
})
const heldEntry = z.union([
  z.strictObject({
    ...entry,
    public_jwk: z.strictObject(publicMembers),
    pkcs11: moduleReferences.pkcs11,
  }),
  z.strictObject({
    ...entry,
    public_jwk: z.strictObject(publicMembers),
    kms: moduleReferences.kms,
  }),
])
const entrySchema = z.union([ownEntry, heldEntry])
const ringSchema = z.array(entrySchema).min(1)

/**
 * What SIGNING_KEYS_FILE holds: `{rings: {receipt, authority, checkout, callback, agent-statement, log: [{kid, alg, state, private_jwk}]}}`;
 * a key in a module has `public_jwk` and the name of the key, `pkcs11` or `kms`, instead of `private_jwk`.
 */
const signingKeysSchema = z.strictObject({
  rings: z.strictObject(ofEachRing(() => ringSchema)),
})
export type SigningKeysFile = z.output<typeof signingKeysSchema>
export type SigningKeyEntry = z.output<typeof entrySchema>
/** A key whose private half is in the file. */
export type OwnKeyEntry = z.output<typeof ownEntry>
/** A key whose private half is in a module. */
export type HeldKeyEntry = z.output<typeof heldEntry>

/** Signs bytes with a key that the file only names; ES256 as the 64 bytes `r || s`. */
export type SignHeld = (entry: HeldKeyEntry, bytes: Uint8Array) => Promise<Uint8Array>

/**
 * Loads SIGNING_KEYS_FILE; throws when it is unreadable, a ring has not exactly one active key, or a key serves twice. `reread` of
 * any ring takes over the whole file, where it has changed and is sound.
 */
export function loadKeyRings(path: string): KeyRings {
  const current = followFile(path, () => keyRings(readKeysFile(path)))
  return rereadableRings(current(), async () => current())
}

/** These rings until `reread` of any of them takes over what `read` returns. */
export function rereadableRings(loaded: KeyRings, read: () => Promise<KeyRings>): KeyRings {
  let rings = loaded
  const reread = async (): Promise<void> => {
    rings = await read()
  }
  return ofEachRing((ring) => ({
    ring,
    get active() {
      return rings[ring].active
    },
    get keys() {
      return rings[ring].keys
    },
    get publicKeys() {
      return rings[ring].publicKeys
    },
    reread,
  }))
}

/** The rings of a keys file that was read or generated; throws for a key in a module unless `signHeld` signs with it. */
export function keyRings({ rings }: SigningKeysFile, signHeld?: SignHeld): KeyRings {
  const loaded = ofEachRing((ring) => keyRing(ring, rings[ring], signHeld))
  const all = Object.values(loaded).flatMap(({ publicKeys }) => publicKeys)
  if (new Set(all.map(({ kid }) => kid)).size !== all.length)
    throw new Error('signing keys: a kid stands twice')
  if (new Set(all.map(({ publicJwk }) => publicJwk['x'])).size !== all.length)
    throw new Error('signing keys: a key stands twice')
  return loaded
}

/** The contents of SIGNING_KEYS_FILE; an error never shows any of them. */
export function readKeysFile(path: string): SigningKeysFile {
  try {
    return readJsonFile(path, signingKeysSchema)
  } catch (error) {
    throw new Error(`signing keys: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
}

function keyRing(
  ring: Ring,
  entries: readonly SigningKeyEntry[],
  signHeld: SignHeld | undefined,
): KeyRing {
  return ringOf(
    ring,
    entries.map((entry) => ({ state: entry.state, key: signingKey(ring, entry, signHeld) })),
  )
}

/** The ring of these keys; throws unless exactly one is active. */
export function ringOf(ring: Ring, all: readonly { state: FileState; key: SigningKey }[]): KeyRing {
  const [active, second] = all.filter(({ state }) => state === 'active')
  if (active === undefined || second !== undefined)
    throw new Error(`signing keys: ring ${ring} needs exactly one active key`)
  const others = all.filter(({ state }) => state === 'retiring').map(({ key }) => key)
  return {
    ring,
    active: active.key,
    keys: [active.key, ...others.reverse()],
    publicKeys: all.map(({ state, key: { kid, alg, publicJwk } }) => ({
      ring,
      kid,
      alg,
      publicJwk,
      state,
    })),
  }
}

/** The public half of a key, derived where the file has the private half, so that none that belongs to another key can be published. */
export const publicJwkOf = (entry: SigningKeyEntry) => ({
  ...createPublicKey({ key: jwkOf(entry), format: 'jwk' }).export({ format: 'jwk' }),
  alg: entry.alg,
  kid: entry.kid,
  use: 'sig',
})

const jwkOf = (entry: SigningKeyEntry): JsonWebKey =>
  ('private_jwk' in entry ? entry.private_jwk : entry.public_jwk) as JsonWebKey

function signingKey(
  ring: Ring,
  entry: SigningKeyEntry,
  signHeld: SignHeld | undefined,
): SigningKey {
  const { kid, alg } = entry
  if (alg !== ringAlgs[ring])
    throw new Error(`signing keys: ring ${ring} signs with ${ringAlgs[ring]}, not ${alg}`)
  const publicJwk = publicJwkOf(entry)
  if ('private_jwk' in entry) {
    const key = createPrivateKey({ key: jwkOf(entry), format: 'jwk' })
    assertFits(key, alg)
    return { ring, kid, alg, publicJwk, sign: async (text) => signBytes(key, alg, text) }
  }
  if (signHeld === undefined)
    throw new Error(`signing keys: ${kid} is in a module, which only the signer opens`)
  importPublicKey(publicJwk, alg)
  return { ring, kid, alg, publicJwk, sign: (text) => signHeld(entry, bytesOf(text)) }
}
