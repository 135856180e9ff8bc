import { type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Text } from '../postgres/pipeline.ts'
import { prepared } from '../postgres/prepared.ts'
import { insertOnce, now, requireRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type MandateRow = Selectable<Database['mandates']>
export type NewMandate = {
  mandateId: string
  operatorId: string
  payoutId: string
  requestSha256: string
  ap2Mandate: string
  /** Under which the replay ledger names it once it is used. */
  replayKey: string
  expiresAt: number
}

/**
 * Stores a mandate under its id and returns the stored one. A second issue under the same key returns the first
 * mandate.
 */
export async function storeMandate(tx: Tx, mandate: NewMandate): Promise<MandateRow> {
  await insertOnce(tx, 'mandates', {
    mandate_id: mandate.mandateId,
    operator_id: mandate.operatorId,
    payout_id: mandate.payoutId,
    request_sha256: mandate.requestSha256,
    ap2_mandate: mandate.ap2Mandate,
    replay_key: mandate.replayKey,
    expires_at: new Date(mandate.expiresAt * 1000),
  })
  return requireRow(tx, 'mandates', { mandate_id: mandate.mandateId })
}

/**
 * Whether a mandate that is presented under this replay key is revoked. It stays as it is until the transaction ends: a revocation
 * that has begun is waited for, and a later one waits.
 */
export async function isMandateRevoked(tx: Tx, mandateId: string, key: string): Promise<boolean> {
  const [row] = await selectPresented(mandateId, key).run(tx)
  return row !== undefined && row.revoked_at !== null
}

const selectPresented = prepared(
  (_, mandateId: string, key: string) => sql<Pick<MandateRow, 'revoked_at'>>`
    select revoked_at from mandates where mandate_id = ${mandateId} and replay_key = ${key} for share`,
)

/** Keeps the mandates of a payout as they are until the transaction ends. Read what they say in a later statement. */
export const lockMandatesOf = (tx: Tx, payoutId: string): Promise<unknown> =>
  lockOfPayout(payoutId).run(tx)

const lockOfPayout = prepared(
  (_, payoutId: string) => sql`select from mandates where payout_id = ${payoutId} for share`,
)

/** Revokes a mandate for a payout; a repeat changes nothing. Answers the usage of its payout, or undefined for an unknown id. */
export async function revokePayoutMandate(
  tx: Tx,
  { mandateId, by, reason }: { mandateId: string; by: string; reason: string },
): Promise<string | undefined> {
  await tx
    .updateTable('mandates')
    .set({ revoked_at: now, revoked_by: by, revoke_reason: reason })
    .where('mandate_id', '=', mandateId)
    .where('revoked_at', 'is', null)
    .execute()
  const row = await tx
    .selectFrom('mandates')
    .innerJoin('payouts', 'payouts.payout_id', 'mandates.payout_id')
    .select('payouts.usage')
    .where('mandate_id', '=', mandateId)
    .executeTakeFirst()
  return row?.usage
}

/** Selects the mandate that authorized a payout, if it is revoked. */
export const revokedMandateOf = (payoutId: Text) => sql`
  select from mandates m join replay_ledger l on l.kind = 'mandate' and l.key = m.replay_key and l.subject = m.payout_id
  where m.payout_id = ${payoutId} and m.revoked_at is not null`
