import type { Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { requireRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type MandateRow = Selectable<Database['mandates']>
export type NewMandate = {
  mandateId: string
  operatorId: string
  payoutId: string
  requestSha256: string
  ap2Mandate: string
  expiresAt: number
}

/**
 * Stores a mandate under its id and returns the stored one. A second issue under the same key returns the first
 * mandate.
 */
export async function storeMandate(tx: Tx, mandate: NewMandate): Promise<MandateRow> {
  await tx
    .insertInto('mandates')
    .values({
      mandate_id: mandate.mandateId,
      operator_id: mandate.operatorId,
      payout_id: mandate.payoutId,
      request_sha256: mandate.requestSha256,
      ap2_mandate: mandate.ap2Mandate,
      expires_at: new Date(mandate.expiresAt * 1000),
    })
    .onConflict((conflict) => conflict.column('mandate_id').doNothing())
    .execute()
  return requireRow(tx, 'mandates', { mandate_id: mandate.mandateId })
}
