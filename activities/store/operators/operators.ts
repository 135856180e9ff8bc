import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { Tx } from '../postgres/db.ts'
import { insertRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

/**
 * An operator with a valid credential. `secretSha256` is the lowercase hex digest of the secret's 64 hex characters.
 */
export type Operator = { operatorId: string; name: string; secretSha256: string }

/**
 * Creates an operator and returns the credential `op_<id>_<secret>`. The credential is not stored and cannot be shown
 * again.
 */
export async function createOperator(
  tx: Tx,
  name: string,
): Promise<{ operatorId: string; credential: string }> {
  const operatorId = randomBytes(8).toString('hex')
  const secret = randomBytes(32).toString('hex')
  const secretSha256 = sha256Hex(secret)
  await insertRow(tx, 'operators', { operator_id: operatorId, name, secret_sha256: secretSha256 })
  return { operatorId, credential: `op_${operatorId}_${secret}` }
}

/** The operator with this id. Undefined if there is none or its credential was revoked. */
export async function findOperator(tx: Tx, operatorId: string): Promise<Operator | undefined> {
  const row = await tx
    .selectFrom('operators')
    .select(['operator_id', 'name', 'secret_sha256'])
    .where('operator_id', '=', operatorId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row === undefined
    ? undefined
    : { operatorId: row.operator_id, name: row.name, secretSha256: row.secret_sha256 }
}

export type OperatorRow = Selectable<Database['operators']>

/** All operators, including revoked ones, oldest first. */
export async function listOperators(tx: Tx): Promise<OperatorRow[]> {
  return tx
    .selectFrom('operators')
    .selectAll()
    .orderBy('created_at')
    .orderBy('operator_id')
    .execute()
}

/** Revokes an operator's credential. The next call with it is refused. */
export async function revokeOperator(tx: Tx, operatorId: string): Promise<OperatorRow> {
  const { rows } = await sql<OperatorRow>`select * from revoke_operator(${operatorId})`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error(`the operator ${operatorId} is not there`)
  return row
}

/** The operators of this name that are not revoked. Names are not unique. */
export async function listOperatorsNamed(
  tx: Tx,
  name: string,
): Promise<{ operatorId: string; name: string }[]> {
  const rows = await tx
    .selectFrom('operators')
    .select(['operator_id', 'name'])
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .execute()
  return rows.map((row) => ({ operatorId: row.operator_id, name: row.name }))
}
