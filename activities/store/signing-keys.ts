import type { Selectable } from 'kysely'
import type { Tx } from './db.ts'
import type { SigningKeysTable } from './schema.ts'

export type SigningKeyRow = Selectable<SigningKeysTable>
export type PublicKeyEntry = { ring: string; kid: string; alg: string; publicJwk: Record<string, unknown> }

/** Remembers the public half of every key that this deployment ever signed with; nothing is ever removed. */
export async function registerPublicKeys(tx: Tx, keys: readonly PublicKeyEntry[]): Promise<void> {
  for (const { ring, kid, alg, publicJwk } of keys) {
    await tx
      .insertInto('signing_keys')
      .values({ ring, kid, alg, public_jwk: JSON.stringify(publicJwk) as never })
      .onConflict((conflict) => conflict.columns(['ring', 'kid']).doNothing())
      .execute()
  }
}

/** Every key ever used, oldest first. */
export async function listPublicKeys(tx: Tx): Promise<SigningKeyRow[]> {
  return tx.selectFrom('signing_keys').selectAll().orderBy('activated_at').orderBy('kid').execute()
}
