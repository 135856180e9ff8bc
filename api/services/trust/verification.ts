import { HANDOFF_TYP, PackClaims } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP, PassportClaims } from '#domain/trust/passport.ts'
import { type Judged, judgeArtifact } from '../../../activities/keys/signed-artifact.ts'
import { listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import { findPack } from '../../../activities/store/trust/handoff-packs.ts'
import { findPassport } from '../../../activities/store/trust/passports.ts'
import type { TrustDeps } from './deps.ts'

/** A verification with our record of the artifact, where we have one. */
export type Verified<Claims> = Judged<Claims> & { receiptId: string | null }

export async function verifyPassport(
  { db, issuer }: Pick<TrustDeps, 'db' | 'issuer'>,
  jws: string,
): Promise<Verified<PassportClaims>> {
  const [keys, row] = await Promise.all([listPublicKeys(db), findPassport(db, { jws })])
  const storedAt = row === undefined ? null : row.issued_at.getTime() / 1000
  const expected = { typ: PASSPORT_TYP, issuer, claims: PassportClaims, keys, storedAt }
  return { ...judgeArtifact(jws, expected), receiptId: row?.receipt_id ?? null }
}

export async function verifyPack(
  { db, issuer }: Pick<TrustDeps, 'db' | 'issuer'>,
  jws: string,
): Promise<Verified<PackClaims>> {
  const [keys, row] = await Promise.all([listPublicKeys(db), findPack(db, { jws })])
  const storedAt = row === undefined ? null : row.issued_at.getTime() / 1000
  const expected = { typ: HANDOFF_TYP, issuer, claims: PackClaims, keys, storedAt }
  return { ...judgeArtifact(jws, expected), receiptId: row?.receipt_id ?? null }
}

/** The verification of the receipt that we made with the artifact; null for one that we have no record of. */
export async function packetOf(
  { receipts }: Pick<TrustDeps, 'receipts'>,
  receiptId: string | null,
) {
  return receiptId === null ? null : receipts.verify({ receipt_id: receiptId })
}
