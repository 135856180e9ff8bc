import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto'
import { z } from 'zod'
import type { RingName } from '#domain/keys/rotation.ts'
import { readJsonFile } from '../config/config.ts'
import type { PublicKeyEntry } from '../store/keys/signing-keys.ts'
import { type Alg, assertFits, type SigningKey, signBytes } from './compact.ts'
import { followFile } from './follow-file.ts'

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

const entrySchema = z.strictObject({
  kid: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  alg: z.enum(['EdDSA', 'ES256']),
  state: z.enum(fileStates),
  /** The rotation for which the key was made; a repeat of its step gets the same key. */
  rotation_id: z.string().max(80).optional(),
  private_jwk: z.strictObject({
    kty: z.string(),
    crv: z.string(),
    x: z.string(),
    y: z.string().optional(),
    d: z.string(),
  }),
})
const ringSchema = z.array(entrySchema).min(1)

/** What SIGNING_KEYS_FILE holds: `{rings: {receipt, authority, checkout, callback, agent-statement, log: [{kid, alg, state, private_jwk}]}}`. */
const signingKeysSchema = z.strictObject({
  rings: z.strictObject(ofEachRing(() => ringSchema)),
})
export type SigningKeysFile = z.output<typeof signingKeysSchema>
export type SigningKeyEntry = z.output<typeof entrySchema>

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

/** The rings of a keys file that was read or generated. */
export function keyRings({ rings }: SigningKeysFile): KeyRings {
  const loaded = ofEachRing((ring) => keyRing(ring, rings[ring]))
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

function keyRing(ring: Ring, entries: readonly SigningKeyEntry[]): KeyRing {
  return ringOf(
    ring,
    entries.map((entry) => ({ state: entry.state, key: signingKey(ring, entry) })),
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

/** The public half of a key, derived, so that a file whose public half belongs to another key cannot be published. */
export const publicJwkOf = ({
  kid,
  alg,
  private_jwk,
}: Pick<SigningKeyEntry, 'kid' | 'alg' | 'private_jwk'>) => ({
  ...createPublicKey({ key: private_jwk as JsonWebKey, format: 'jwk' }).export({ format: 'jwk' }),
  alg,
  kid,
  use: 'sig',
})

function signingKey(ring: Ring, { kid, alg, private_jwk }: SigningKeyEntry): SigningKey {
  if (alg !== ringAlgs[ring])
    throw new Error(`signing keys: ring ${ring} signs with ${ringAlgs[ring]}, not ${alg}`)
  const key = createPrivateKey({ key: private_jwk as JsonWebKey, format: 'jwk' })
  assertFits(key, alg)
  const publicJwk = publicJwkOf({ kid, alg, private_jwk })
  return { ring, kid, alg, publicJwk, sign: async (text) => signBytes(key, alg, text) }
}
