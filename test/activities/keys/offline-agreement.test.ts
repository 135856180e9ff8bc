import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ArtifactKind as AuthorityKind } from '#domain/authority/artifacts.ts'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { HANDOFF_TYP, PackClaims } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP, PassportClaims } from '#domain/trust/passport.ts'
import { timesOf } from '#domain/verification/signed.ts'
import { readArtifact } from '../../../activities/authority/artifacts.ts'
import type { KeyStatus, KeyWithTimes } from '../../../activities/keys/key-status.ts'
import { judgeArtifact } from '../../../activities/keys/signed-artifact.ts'
import type { SigningKeyRow } from '../../../activities/store/keys/signing-keys.ts'
import { verifyReceipt } from '../../../clients/typescript/src/index.ts'
import type { Vector, VectorFile } from '../../vectors/make.ts'
import { verifies } from '../../verifies.ts'

const root = join(import.meta.dirname, '../../vectors')
const readVectors = (kind: string): VectorFile =>
  JSON.parse(readFileSync(join(root, `${kind}.json`), 'utf8')) as VectorFile
const date = (time: string | null) => (time === null ? null : new Date(time))
const EPOCH = new Date(0).toISOString()

/** The stored rows of a published key set. */
const rowsOf = ({ keys }: KeySet): SigningKeyRow[] =>
  keys.map(
    ({ kid, use_for, activated_at = EPOCH, retired_at, revoked_at, ...jwk }) =>
      ({
        ring: use_for,
        kid,
        alg: 'EdDSA',
        public_jwk: jwk,
        activated_at: date(activated_at),
        retired_at: date(retired_at),
        revoked_at: date(revoked_at),
      }) as unknown as SigningKeyRow,
  )

/** The vectors that this judge and ours see differently; those of a period are about the caller's time. */
async function differing(
  kind: string,
  isGood: (vector: Vector, keys: KeySet) => unknown,
): Promise<string[]> {
  const { keys, vectors } = readVectors(kind)
  const different: string[] = []
  for (const vector of vectors) {
    const { name, expect: expected, at } = vector
    const accepted = await isGood(vector, keys[vector.keys]!)
    if (at === undefined && accepted !== (expected.verdict === 'valid'))
      different.push(`${name}: ${String(expected.reason)}`)
  }
  return different
}

/** What this release issues is narrower than what a verifier accepts of every release. */
const laterMembers = [
  'with a line break at the end: null',
  'with white space of all kinds around it: null',
  'with another member: null',
]

verifies('verify.agreement', 'the service judges passports and packs as strangers do', async () => {
  const forms = {
    passport: { typ: PASSPORT_TYP, claims: PassportClaims },
    handoff_pack: { typ: HANDOFF_TYP, claims: PackClaims },
  }
  const issuer = 'https://api.agent-rails.example/api/trust-contract'
  for (const [kind, { typ, claims }] of Object.entries(forms)) {
    const different = await differing(kind, ({ artifact }, keys) => {
      const expected = { typ, claims, issuer, keys: rowsOf(keys), storedAt: null }
      const { reasons } = judgeArtifact<{ iat: number; iss: string }>(String(artifact), expected)
      return reasons.length === 0
    })
    expect(different, kind).toEqual(laterMembers)
  }
})

verifies('verify.agreement', 'the service judges mandates and grants as strangers do', async () => {
  const kinds = { mandate: 'mandate', action_grant: 'grant', delegated_action: 'action' } as const
  const statusOf = (keys: KeySet): KeyStatus => {
    const verifiers = (ring: string) =>
      keys.keys
        .filter(({ use_for }) => use_for === ring)
        .map((key) => ({ ring, kid: key.kid, alg: 'EdDSA', publicJwk: key, ...timesOf(key) }))
    return { verifiers: (ring) => verifiers(ring) as unknown as KeyWithTimes[] } as KeyStatus
  }
  const read = (kind: AuthorityKind, artifact: unknown, keys: KeySet): boolean => {
    try {
      const value = typeof artifact === 'string' ? JSON.parse(artifact) : artifact
      return 'artifact' in readArtifact(kind, statusOf(keys), value)
    } catch {
      return false
    }
  }
  for (const [kind, context] of Object.entries(kinds)) {
    const different = await differing(kind, ({ artifact }, keys) => read(context, artifact, keys))
    expect(different.filter((name) => !/^with (another member|names beyond)/.test(name))).toEqual(
      kind === 'mandate' ? [] : ['keys: retired before: key_retired'],
    )
  }
})

verifies('verify.agreement', 'the client judges receipts as the offline verifier', async () => {
  const isGood = ({ artifact }: Vector, keys: KeySet) =>
    verifyReceipt(String(artifact), keys).then(
      () => true,
      () => false,
    )
  const different = await differing('receipt', isGood)
  // It leaves the claims to the program that reads them.
  expect(different.filter((name) => !name.endsWith('claims_invalid'))).toEqual([])
})
