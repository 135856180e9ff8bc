import { type Selectable, sql } from 'kysely'
import type { KeyTimes } from '#domain/receipts/key-standing.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import { findRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type SigningKeyRow = Selectable<Database['signing_keys']>
export type PublicKeyEntry = {
  ring: string
  kid: string
  alg: string
  publicJwk: Record<string, unknown>
  /** How it stands in the file of the signer; only `published` and `active` say more than that it was active once. */
  state: string
}

/**
 * Stores the public half of a key and returns what is stored under its ring and name, which may belong to another
 * key. Returns undefined if the half has another name, or the name is in another ring. A new key that is active in its file
 * supersedes the current one of its ring; a key that is stored already stays as it stands.
 */
export async function registerPublicKey(
  tx: Tx,
  { ring, kid, alg, publicJwk, state }: PublicKeyEntry,
): Promise<SigningKeyRow | undefined> {
  const jwk = JSON.stringify(publicJwk)
  const { rows } = await sql<SigningKeyRow>`
    select * from register_signing_key(${ring}, ${kid}, ${alg}, ${jwk}, ${state})`.execute(tx)
  return rows[0]
}

/**
 * Makes a published key the current one of its ring, once all signatures in progress of the ring are stored; the one before is
 * superseded by it. Changes nothing for a key that was active already.
 */
export async function activateKey(
  tx: Tx,
  { ring, kid }: { ring: string; kid: string },
): Promise<SigningKeyRow> {
  const { rows } =
    await sql<SigningKeyRow>`select * from activate_signing_key(${ring}, ${kid})`.execute(tx)
  const [row] = rows
  if (row === undefined || row.activated_at === null)
    throw new Error(`the key ${kid} cannot become active`)
  return row
}

/** The key of a ring that signs: the current one, or the newest before it that has not ended; undefined where there is none. */
export async function findKeyThatSigns(tx: Tx, ring: string): Promise<SigningKeyRow | undefined> {
  return tx
    .selectFrom('signing_keys')
    .selectAll()
    .where('ring', '=', ring)
    .where('activated_at', 'is not', null)
    .where('retired_at', 'is', null)
    .where('revoked_at', 'is', null)
    .orderBy(sql`superseded_at is null`, 'desc')
    .orderBy('activated_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Every key ever published, in the order in which they became active; those that are published only are the last. */
export async function listPublicKeys(tx: Tx): Promise<SigningKeyRow[]> {
  return tx.selectFrom('signing_keys').selectAll().orderBy('activated_at').orderBy('kid').execute()
}

export const findKey = (tx: Tx, kid: string) => findRow(tx, 'signing_keys', { kid })

/**
 * A key of a ring with its times; `readAt` is the time of Postgres. `x` distinguishes it from another key of the same name.
 */
export type StandingRow = KeyTimes & {
  ring: string
  kid: string
  x: string
  activatedAt: number | null
  supersededAt: number | null
  readAt: number
}

/** The keys of these rings. No key is activated, retired or revoked before the transaction ends. */
export async function readStanding(tx: Tx, rings: readonly string[]): Promise<StandingRow[]> {
  const rows = await selectStanding([...rings]).run(tx)
  return rows.map(({ ring, kid, x, ...times }) => ({
    ring,
    kid,
    x,
    activatedAt: times.activated_at,
    supersededAt: times.superseded_at,
    retiredAt: times.retired_at,
    revokedAt: times.revoked_at,
    readAt: times.read_at,
  }))
}

type SelectedStanding = {
  ring: string
  kid: string
  x: string
  activated_at: number | null
  superseded_at: number | null
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

/** Lets one process at a time write a file of signing keys, until the transaction ends. */
export async function lockKeyMaking(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('signing keys are made', 0))`.execute(tx)
}

/** Waits until no signature of the ring is in progress, and blocks new ones until the transaction ends. */
export async function lockRing(tx: Tx, ring: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('signing keys: ' || ${ring}, 0))`.execute(
    tx,
  )
}
