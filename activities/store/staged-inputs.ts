import { sql } from 'kysely'
import { canonicalJson, sha256Hex } from '../../workflows/domain/canonical-json.ts'
import type { Tx } from './db.ts'

/** Stores a JSON value under its digest for a day: update arguments are history, so workflows are sent only the digest. */
export async function stageInput(tx: Tx, value: unknown): Promise<string> {
  const body = canonicalJson(value)
  const digest = sha256Hex(body)
  await tx
    .insertInto('staged_inputs')
    .values({ digest, body, expires_at: sql<Date>`clock_timestamp() + interval '1 day'` })
    .onConflict((conflict) =>
      conflict.column('digest').doUpdateSet({ expires_at: sql<Date>`clock_timestamp() + interval '1 day'` }),
    )
    .execute()
  return digest
}

/** The staged value, or undefined once it has expired. */
export async function readStaged<T>(tx: Tx, digest: string): Promise<T | undefined> {
  const row = await tx.selectFrom('staged_inputs').select('body').where('digest', '=', digest).executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.body) as T)
}

export async function dropExpiredInputs(tx: Tx): Promise<void> {
  await tx.deleteFrom('staged_inputs').where('expires_at', '<', sql<Date>`clock_timestamp()`).execute()
}
