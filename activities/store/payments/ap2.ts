import { type Insertable, type Selectable, sql } from 'kysely'
import type { History } from '#domain/ap2/constraints.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertOnce, lockRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type Ap2MandateRow = Selectable<Database['ap2_mandates']>
export type NewAp2Mandate = Insertable<Database['ap2_mandates']>
export type NewAp2Payment = Insertable<Database['ap2_payments']>

/** Stores a mandate under its key and id; nothing changes where it is stored already. */
export const insertAp2Mandate = (tx: Tx, mandate: NewAp2Mandate) =>
  insertOnce(tx, 'ap2_mandates', mandate)

/** A mandate that was issued here. */
export const findAp2Issued = (tx: Tx, mandateId: string) =>
  findRow(tx, 'ap2_mandates', { mandate_id: mandateId })

/** A mandate by the digest of what its issuer signed. */
export const findAp2Mandate = (tx: Tx, mandateKey: string) =>
  findRow(tx, 'ap2_mandates', { mandate_key: mandateKey })

/** The payment that used a nonce. */
export async function findAp2Payment(
  tx: Tx,
  nonce: string,
): Promise<{ payment_reference_id: string } | undefined> {
  return tx
    .selectFrom('ap2_payments')
    .select('payment_reference_id')
    .where('nonce', '=', nonce)
    .executeTakeFirst()
}

/** The mandate, locked until the transaction ends. It is locked after the challenge and before the wallet that pays. */
export const lockAp2Mandate = (tx: Tx, by: { mandate_key: string } | { mandate_id: string }) =>
  lockRow(tx, 'ap2_mandates', by)

/** What was paid under a locked mandate; a payment that was rejected or has expired is given back. */
export async function readAp2History(
  tx: Tx,
  { mandateKey, currency }: { mandateKey: string; currency: string },
): Promise<History> {
  const row = await tx
    .selectFrom('ap2_payments')
    .innerJoin(
      'payment_references',
      'payment_references.payment_reference_id',
      'ap2_payments.payment_reference_id',
    )
    .select([
      sql<string>`coalesce(sum(amount_minor) filter (where currency = ${currency}), 0)`.as('spent'),
      sql<number>`count(*)::integer`.as('occurrences'),
      sql<number | null>`extract(epoch from max(paid_at))::float8`.as('last_at'),
    ])
    .where('mandate_key', '=', mandateKey)
    .where('payment_references.state', 'not in', ['rejected', 'expired'])
    .executeTakeFirstOrThrow()
  return {
    spent: BigInt(row.spent),
    occurrences: row.occurrences,
    lastAt: row.last_at ?? undefined,
  }
}

/** Whether this agent paid under the mandate. */
export async function hasPaidUnderAp2(
  tx: Tx,
  { mandateKey, agentId }: { mandateKey: string; agentId: string },
): Promise<boolean> {
  const paid = await tx
    .selectFrom('ap2_payments')
    .innerJoin(
      'payment_references',
      'payment_references.payment_reference_id',
      'ap2_payments.payment_reference_id',
    )
    .select('ap2_payments.nonce')
    .where('mandate_key', '=', mandateKey)
    .where('payment_references.agent_id', '=', agentId)
    .limit(1)
    .executeTakeFirst()
  return paid !== undefined
}

/** Stores a payment under its locked mandate; false where its nonce was used before. */
export async function insertAp2Payment(tx: Tx, payment: NewAp2Payment): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('ap2_payments')
    .values(payment)
    .onConflict((conflict) => conflict.column('nonce').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function revokeAp2Mandate(
  tx: Tx,
  { mandateId, by, reason }: { mandateId: string; by: string; reason: string },
): Promise<void> {
  await tx
    .updateTable('ap2_mandates')
    .set({ revoked_at: now, revoked_by: by, revoke_reason: reason })
    .where('mandate_id', '=', mandateId)
    .where('revoked_at', 'is', null)
    .execute()
}
