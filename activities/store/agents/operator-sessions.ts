import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { Tx } from '../postgres/db.ts'
import { now } from '../postgres/rows.ts'

type SessionOperator = { operatorId: string; name: string }
/** An operator who is signed in to the console. */
export type OperatorSession = SessionOperator & { expiresAt: Date }

/** Ended sessions are deleted after this time. */
const KEPT = sql`interval '1 day'`

/** Signs an operator in and returns the secret of the session, 64 hex characters. Only its digest is stored. */
export async function openSession(
  tx: Tx,
  { operatorId, name }: SessionOperator,
  seconds: number,
): Promise<{ secret: string; expiresAt: Date }> {
  await tx
    .deleteFrom('operator_sessions')
    .where('expires_at', '<', sql<Date>`clock_timestamp() - ${KEPT}`)
    .execute()
  const secret = randomBytes(32).toString('hex')
  const { expires_at } = await tx
    .insertInto('operator_sessions')
    .values({
      session_sha256: sha256Hex(secret),
      operator_id: operatorId,
      operator_name: name,
      expires_at: sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`,
      ended_at: null,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { secret, expiresAt: expires_at }
}

/** The session of a secret; undefined where it is unknown, over or ended, or the credential of its operator was revoked. */
export async function findSession(tx: Tx, secret: string): Promise<OperatorSession | undefined> {
  const row = await tx
    .selectFrom('operator_sessions as s')
    .leftJoin('operators as o', 'o.operator_id', 's.operator_id')
    .select(['s.operator_id', 's.operator_name', 's.expires_at'])
    .where('s.session_sha256', '=', sha256Hex(secret))
    .where('s.ended_at', 'is', null)
    .where('o.revoked_at', 'is', null)
    .where('s.expires_at', '>', now)
    .executeTakeFirst()
  return row && { operatorId: row.operator_id, name: row.operator_name, expiresAt: row.expires_at }
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
