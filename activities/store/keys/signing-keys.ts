import { type Selectable, sql } from 'kysely'
import type { KeyTimes } from '#domain/receipts/key-standing.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import type { Database } from '../schema/schema.ts'

export type SigningKeyRow = Selectable<Database['signing_keys']>
export type PublicKeyEntry = {
  ring: string
  kid: string
  alg: string
  publicJwk: Record<string, unknown>
}

/**
 * Stores the public half of a key and returns what is stored under its ring and name, which may belong to another
 * key. Returns undefined if the half has another name, or the name is in another ring.
 */
export async function registerPublicKey(
  tx: Tx,
  { ring, kid, alg, publicJwk }: PublicKeyEntry,
): Promise<SigningKeyRow | undefined> {
  const { rows } = await sql<SigningKeyRow>`
    select * from register_signing_key(${ring}, ${kid}, ${alg}, ${JSON.stringify(publicJwk)})`.execute(
    tx,
  )
  return rows[0]
}

/** Every key ever used, oldest first. */
export async function listPublicKeys(tx: Tx): Promise<SigningKeyRow[]> {
  return tx.selectFrom('signing_keys').selectAll().orderBy('activated_at').orderBy('kid').execute()
}

export async function findKey(tx: Tx, kid: string): Promise<SigningKeyRow | undefined> {
  return tx.selectFrom('signing_keys').selectAll().where('kid', '=', kid).executeTakeFirst()
}

/**
 * A key of a ring with the times of its retirement and revocation; `readAt` is the time of Postgres. `x`
 * distinguishes it from another key of the same name.
 */
export type StandingRow = KeyTimes & { ring: string; kid: string; x: string; readAt: number }

/** The keys of these rings. No key is retired or revoked before the transaction ends. */
export async function readStanding(tx: Tx, rings: readonly string[]): Promise<StandingRow[]> {
  const rows = await selectStanding([...rings]).run(tx)
  return rows.map(({ ring, kid, x, retired_at, revoked_at, read_at }) => ({
    ring,
    kid,
    x,
    retiredAt: retired_at,
    revokedAt: revoked_at,
    readAt: read_at,
  }))
}

type SelectedStanding = {
  ring: string
  kid: string
  x: string
  retired_at: number | null
  revoked_at: number | null
  read_at: number
}
const selectStanding = prepared(
  (_, rings: string[]) => sql<SelectedStanding>`select * from signing_standing(${rings}::text[])`,
)

/** Retires or revokes a key after all signatures in progress of its ring are stored. Undefined for an unknown key. */
export async function endKey(
  tx: Tx,
  end: 'retire' | 'revoke',
  { ring, kid }: { ring: string; kid: string },
): Promise<SigningKeyRow | undefined> {
  const name = sql.ref(`${end}_signing_key`)
  const { rows } = await sql<SigningKeyRow>`select * from ${name}(${ring}, ${kid})`.execute(tx)
  return rows[0]
}

/** Waits until no signature of the ring is in progress, and blocks new ones until the transaction ends. */
export async function lockRing(tx: Tx, ring: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('signing keys: ' || ${ring}, 0))`.execute(
    tx,
  )
}
