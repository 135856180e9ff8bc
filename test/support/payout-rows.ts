import type { Kysely } from 'kysely'
import { transaction } from '../../activities/store/db.ts'
import {
  authorizedPayout,
  createdPayout,
  insertPayout,
  type NewPayout,
  updateAuthorized,
} from '../../activities/store/payouts.ts'
import type { Database } from '../../activities/store/schema.ts'

/** Writes the row of a payout that was created and then authorized to be executed until `expiresAt` (Unix seconds). */
export async function insertAuthorizedPayout(
  db: Kysely<Database>,
  payout: NewPayout,
  expiresAt: number,
): Promise<void> {
  const now = new Date()
  const created = createdPayout(payout, now)
  const facts = { expiresAt, idempotencyKey: 'a', fingerprint: 'f', mandateRef: 'm' }
  await transaction(db, async (_, last) => {
    last(insertPayout(created))
    last(updateAuthorized(authorizedPayout(created, facts, now)))
  })
}
