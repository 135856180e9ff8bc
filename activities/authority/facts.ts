import type { GrantFacts, MandateFacts } from '#domain/authority/facts.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import type { KeyRings } from '../keys/key-ring.ts'
import { type KeyStatus, readKeyStatus } from '../keys/key-status.ts'
import { findGrant, type GrantRow, lockGrant } from '../store/authority/grants.ts'
import {
  type AuthorityMandateRow,
  findAuthorityMandate,
  lockAuthorityMandate,
} from '../store/authority/mandates.ts'
import type { Tx } from '../store/postgres/db.ts'
import { readArtifact } from './artifacts.ts'

export const authorityKeyStatus = (keys: Pick<KeyRings, 'authority'>, tx: Tx): Promise<KeyStatus> =>
  readKeyStatus(tx, keys, ['authority'])

export type ReadMandate = { facts: MandateFacts; row: AuthorityMandateRow | undefined }
export type ReadGrant = { facts: GrantFacts; row: GrantRow | undefined }

/** The facts of a presented mandate: its signature is verified, and it has to be the stored one. */
export async function readMandate(
  tx: Tx,
  { keyStatus, lock }: { keyStatus: KeyStatus; lock: boolean },
  presented: unknown,
): Promise<ReadMandate> {
  const read = readArtifact('mandate', keyStatus, presented)
  if ('flaw' in read) return { facts: { flaw: read.flaw }, row: undefined }
  const { mandate_id } = read.artifact
  const row = lock
    ? await lockAuthorityMandate(tx, mandate_id)
    : await findAuthorityMandate(tx, mandate_id)
  if (row === undefined || digestOf(row.document) !== digestOf(read.artifact))
    return { facts: { flaw: 'unknown' }, row: undefined }
  return { facts: mandateFacts(row), row }
}

/** What is stored about a mandate. */
const mandateFacts = (row: AuthorityMandateRow) => ({
  mandateId: row.mandate_id,
  terms: row.document,
  revoked: row.revoked_at !== null,
  used: { usd: row.used_usd, actions: row.used_actions },
})

/** The facts of a presented grant. */
export async function readGrant(
  tx: Tx,
  { keyStatus, lock }: { keyStatus: KeyStatus; lock: boolean },
  presented: unknown,
): Promise<ReadGrant> {
  const read = readArtifact('grant', keyStatus, presented)
  if ('flaw' in read) return { facts: { flaw: read.flaw }, row: undefined }
  const { grant_id } = read.artifact
  const row = lock ? await lockGrant(tx, grant_id) : await findGrant(tx, grant_id)
  if (row === undefined || digestOf(row.document) !== digestOf(read.artifact))
    return { facts: { flaw: 'unknown' }, row: undefined }
  return { facts: { terms: row.document, state: row.state }, row }
}
