import { createHash } from 'node:crypto'
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js'
import type { KeySet, PublishedKey } from '#domain/receipts/key-set.ts'

/** When everything in the vectors was signed: 2026-11-21T12:00:00Z. */
export const signedAt = 1_795_262_400
const DAY = 24 * 3600
export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** A key whose private half is public: its seed is the digest of its name. No service may ever use it. */
export type TestKey = { readonly kid: string; readonly ring: string; readonly seed: Uint8Array }

function testKey(ring: string, kid: string, name = kid): TestKey {
  const seed = createHash('sha256').update(`agent-rails TEST KEY ${name}`).digest()
  return { kid, ring, seed: Uint8Array.from(seed) }
}

export const receiptKey = testKey('receipt', 'receipt-test-1')
export const authorityKey = testKey('authority', 'authority-test-1')
const others = [testKey('callback', 'callback-test-1'), testKey('receipt', 'receipt-test-2')]
export const ofRing = (ring: string): TestKey => (ring === 'authority' ? authorityKey : receiptKey)

/** The key of a log, which signs its checkpoints. */
export const logKey = testKey('log', 'log-test-1')
const otherLogKey = testKey('log', 'log-test-1', 'of a stranger, log')

/** The same names at another service. */
export const strangers = [
  testKey('receipt', 'receipt-test-1', 'of a stranger, receipt'),
  testKey('authority', 'authority-test-1', 'of a stranger, authority'),
]

export const signText = (key: TestKey, text: string): string =>
  Buffer.from(signBytes(key, text)).toString('base64url')
export const signBytes = ({ seed }: TestKey, text: string): Uint8Array =>
  ed25519.sign(Buffer.from(text), seed)
export const publicKeyOf = ({ seed }: TestKey): Uint8Array => ed25519.getPublicKey(seed)

const published = ({ kid, ring, seed }: TestKey, more: Partial<PublishedKey> = {}) => ({
  kty: 'OKP',
  kid,
  x: Buffer.from(ed25519.getPublicKey(seed)).toString('base64url'),
  alg: 'EdDSA',
  crv: 'Ed25519',
  use: 'sig',
  use_for: ring,
  activated_at: isoTime(signedAt - 30 * DAY),
  retired_at: null,
  revoked_at: null,
  ...more,
})

/** Both signing keys with this change, and the keys of other purposes. */
const setOf = (more: Partial<PublishedKey>): KeySet => ({
  keys: [
    published(receiptKey, more),
    published(authorityKey, more),
    ...others.map((key) => published(key)),
  ],
})
const [early, late] = [isoTime(signedAt - DAY), isoTime(signedAt + DAY)]
const withPoint = (bytes: Buffer): KeySet => setOf({ x: bytes.toString('base64url') })

const withLog = (key: TestKey, more: Partial<PublishedKey> = {}): KeySet => ({
  keys: [...setOf({}).keys, published(key, more)],
})
/** The current keys with those of a log. */
export const logSets = {
  with_log: withLog(logKey),
  with_published_log: withLog(logKey, { activated_at: null }),
  with_retired_log: withLog(logKey, { retired_at: early }),
  with_revoked_log: withLog(logKey, { revoked_at: late }),
  with_log_of_a_stranger: withLog(otherLogKey),
  without_log: setOf({}),
}

/** A set for each point of small order, by which one signature fits many texts. */
export const smallOrderSets: Record<string, KeySet> = Object.fromEntries(
  ED25519_TORSION_SUBGROUP.map((hex, at) => [
    `of_small_order_${at + 1}`,
    withPoint(Buffer.from(hex, 'hex')),
  ]),
)

export const keySets = {
  current: setOf({}),
  retired_later: setOf({ retired_at: late }),
  retired_before: setOf({ retired_at: early }),
  retired_then: setOf({ retired_at: isoTime(signedAt) }),
  active_then: setOf({ activated_at: isoTime(signedAt + 0.999) }),
  active_later: setOf({ activated_at: late }),
  not_active: setOf({ activated_at: null }),
  without_activation: setOf({ activated_at: undefined }),
  revoked_later: setOf({ revoked_at: late }),
  revoked_before: setOf({ revoked_at: early }),
  revoked_then: setOf({ revoked_at: isoTime(signedAt) }),
  retired_and_revoked_later: setOf({ retired_at: late, revoked_at: isoTime(signedAt + 2 * DAY) }),
  empty: { keys: [] },
  of_another_service: { keys: strangers.map((key) => published(key)) },
  for_another_purpose: setOf({ use_for: 'callback' }),
  not_canonical: withPoint(Buffer.alloc(32, 0xff)),
  not_a_point: withPoint(Buffer.concat([Buffer.of(2), Buffer.alloc(31)])),
  too_short: withPoint(Buffer.alloc(31, 7)),
  on_another_curve: setOf({ kty: 'EC', crv: 'P-256' }),
} satisfies Record<string, KeySet>
export type KeySetName = keyof typeof keySets
