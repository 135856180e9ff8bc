import { type Selectable, sql } from 'kysely'
import { type Entitlement, freeAccount, sandboxAccount } from '#domain/credit/credit.ts'
import { notifyChanged } from '../postgres/changes.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, lockRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type EntitlementRow = Selectable<Database['entitlements']>
export type NewEntitlement = Pick<
  EntitlementRow,
  'entitlement_id' | 'quote_id' | 'agent_id' | 'rail' | 'tier' | 'granted_units' | 'fee_units'
>

export const findEntitlement = (tx: Tx, entitlementId: string) =>
  findRow(tx, 'entitlements', { entitlement_id: entitlementId })

/** The entitlement of a quote, if an agent has accepted the quote. */
export const findEntitlementOf = (tx: Tx, quoteId: string) =>
  findRow(tx, 'entitlements', { quote_id: quoteId })

type Paid = Pick<EntitlementRow, 'entitlement_id' | 'source'>

/** The wallet that paid for a credit, or else the credit itself. */
export const payerOf = ({ entitlement_id, source }: Paid): string =>
  /^wallet:(.+)$/.exec(source ?? '')?.[1] ?? entitlement_id

/** The names of what paid for a credit: its wallet, or else itself and its payments; none for one that nothing paid. */
export async function listPayers(tx: Tx, credit: Paid): Promise<string[]> {
  const { entitlement_id, source } = credit
  if (unpaid.includes(source ?? '')) return []
  const payer = payerOf(credit)
  if (payer !== entitlement_id) return [payer]
  const { rows } = await sql<{ id: string }>`
    select payment_reference_id as id from payment_references where entitlement_id = ${entitlement_id} and state = 'verified'`.execute(
    tx,
  )
  return [entitlement_id, ...rows.map(({ id }) => id)]
}
const unpaid: readonly string[] = [sandboxAccount, freeAccount]

/** The row, locked for the rest of the transaction. */
export const lockEntitlement = (tx: Tx, entitlementId: string) =>
  lockRow(tx, 'entitlements', { entitlement_id: entitlementId })

/** The entitlement of a quote. It is created as pending if there is none. */
export async function ensureEntitlement(
  tx: Tx,
  entitlement: NewEntitlement,
): Promise<EntitlementRow> {
  await tx
    .insertInto('entitlements')
    .values({ ...entitlement, state: 'pending' })
    // No key is named here: with two concurrent inserts, the conflict may be on the id first, and naming the quote
    // would make that an error.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tx
    .selectFrom('entitlements')
    .selectAll()
    .where('quote_id', '=', entitlement.quote_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Stores the result of a movement on a locked entitlement; `settlement_receipt_id` only if the movement funded it. */
export async function updateEntitlement(
  tx: Tx,
  moved: Entitlement,
  settlement_receipt_id?: string,
): Promise<void> {
  const { entitlement_id, state, consumed_units, returned_units, source } = moved
  const funding = settlement_receipt_id === undefined ? {} : { settlement_receipt_id }
  await tx
    .updateTable('entitlements')
    .set({
      state,
      consumed_units,
      returned_units,
      source,
      ...funding,
      changed_at: now,
    })
    .where('entitlement_id', '=', entitlement_id)
    .execute()
  await notifyChanged(tx, entitlement_id)
}
