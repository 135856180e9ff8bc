import { randomBytes } from 'node:crypto'
import { credentialText, type Scope } from '#domain/agents/credential.ts'
import { deriveTokens, secretSha256 } from '../../activities/keys/derived-tokens.ts'
import { loadTokenKeys } from '../../activities/keys/token-keys.ts'
import {
  type CredentialRow,
  claimCredential,
  findCredential,
  insertCredential,
} from '../../activities/store/agents/agent-credentials.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { ComposedApis } from './composed-api.ts'

type Covered = { scopes: Scope[]; rails: string[] }

/** A second live key of an agent, for these scopes and rails. */
export async function secondKey(
  { db, config }: Pick<ComposedApis, 'db' | 'config'>,
  agentId: string,
  covered: Covered,
): Promise<string> {
  const credentialId = randomBytes(8).toString('hex')
  const tokens = deriveTokens(loadTokenKeys(config.TOKEN_KEYS_FILE), async () => undefined)
  const secret = await tokens.credentialSecret(credentialId)
  const key = { credentialId, agentId, version: 2, ...covered, overlapSeconds: 3600 }
  await transaction(db, async (tx) => {
    await insertCredential(tx, key)
    const pending = (await findCredential(tx, credentialId)) as CredentialRow
    await claimCredential(tx, pending, secretSha256(secret))
  })
  return credentialText(credentialId, secret)
}
