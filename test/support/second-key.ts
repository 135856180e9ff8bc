import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { credentialText, type Scope } from '#domain/agents/credential.ts'
import { secretSha256 } from '../../activities/keys/derived-tokens.ts'
import {
  type CredentialRow,
  claimCredential,
  findCredential,
  insertCredential,
} from '../../activities/store/agents/agent-credentials.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { Database } from '../../activities/store/schema/schema.ts'

type Covered = { scopes: Scope[]; rails: string[] }

/** A second live key of an agent, for these scopes and rails. */
export async function secondKey(
  db: Kysely<Database>,
  agentId: string,
  covered: Covered,
): Promise<string> {
  const [credentialId, secret] = [randomBytes(8).toString('hex'), randomBytes(32).toString('hex')]
  const key = { credentialId, agentId, version: 2, ...covered, overlapSeconds: 3600 }
  await transaction(db, async (tx) => {
    await insertCredential(tx, key)
    const pending = (await findCredential(tx, credentialId)) as CredentialRow
    await claimCredential(tx, pending, secretSha256(secret))
  })
  return credentialText(credentialId, secret)
}
