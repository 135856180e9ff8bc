import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { Tx } from '../postgres/db.ts'
import { insertRow, now } from '../postgres/rows.ts'

type SessionOperator = { operatorId: string; name: string }
/** The codes of a text by keys that are in no database, the one of the key in use first. */
export type SessionMacs = (text: string) => readonly [string, ...string[]]
/** An operator who is signed in to the console. */
export type OperatorSession = SessionOperator & { expiresAt: Date }

/** Ended sessions are deleted after this time. */
const KEPT = sql`interval '1 day'`

/** What the code of a session covers, so that writing rows alone opens and prolongs none. */
const macText = (sessionSha256: string, { operatorId, name, expiresAt }: OperatorSession): string =>
  JSON.stringify([sessionSha256, operatorId, name, expiresAt.toISOString()])

/**
 * Signs an operator in and returns the secret of the session, 64 hex characters. Only its digest is stored, with a code over it, the
 * operator and the end.
 */
export async function openSession(
  tx: Tx,
  { operatorId, name, seconds }: SessionOperator & { seconds: number },
  macs: SessionMacs,
): Promise<{ secret: string; expiresAt: Date }> {
  await tx
    .deleteFrom('operator_sessions')
    .where('expires_at', '<', sql<Date>`clock_timestamp() - ${KEPT}`)
    .execute()
  const secret = randomBytes(32).toString('hex')
  const session_sha256 = sha256Hex(secret)
  const { rows } = await sql<{ expires_at: Date }>`select
    date_trunc('milliseconds', clock_timestamp()) + ${seconds} * interval '1 second' as expires_at`.execute(
    tx,
  )
  const expiresAt = rows[0]?.expires_at as Date
  const [mac] = macs(macText(session_sha256, { operatorId, name, expiresAt }))
  await insertRow(tx, 'operator_sessions', {
    session_sha256,
    operator_id: operatorId,
    operator_name: name,
    expires_at: expiresAt,
    ended_at: null,
    mac,
  })
  return { secret, expiresAt }
}

/** The session of a secret; undefined where it is unknown, forged, over or ended, or the credential of its operator was revoked. */
export async function findSession(
  tx: Tx,
  secret: string,
  macs: SessionMacs,
): Promise<OperatorSession | undefined> {
  const sessionSha256 = sha256Hex(secret)
  const row = await tx
    .selectFrom('operator_sessions as s')
    .leftJoin('operators as o', 'o.operator_id', 's.operator_id')
    .select(['s.operator_id', 's.operator_name', 's.expires_at', 's.mac'])
    .where('s.session_sha256', '=', sessionSha256)
    .where('s.ended_at', 'is', null)
    .where('o.revoked_at', 'is', null)
    .where('s.expires_at', '>', now)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { operator_id: operatorId, operator_name: name, expires_at: expiresAt, mac } = row
  const session = { operatorId, name, expiresAt }
  return macs(macText(sessionSha256, session)).includes(mac) ? session : undefined
}

/** Ends the session of a secret. */
export async function endSession(tx: Tx, secret: string): Promise<void> {
  await tx
    .updateTable('operator_sessions')
    .set({ ended_at: now })
    .where('session_sha256', '=', sha256Hex(secret))
    .where('ended_at', 'is', null)
    .execute()
}

/** Ends all sessions of an operator. */
export async function endSessionsOf(tx: Tx, operatorId: string): Promise<void> {
  await tx
    .updateTable('operator_sessions')
    .set({ ended_at: now })
    .where('operator_id', '=', operatorId)
    .where('ended_at', 'is', null)
    .execute()
}
