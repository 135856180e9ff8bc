import type { Kysely } from 'kysely'
import { type Tx, transaction } from '../../activities/store/db.ts'
import {
  authorizedPayout,
  createdPayout,
  insertPayout,
  type NewPayout,
  updateAuthorized,
} from '../../activities/store/payouts.ts'
import type { Database } from '../../activities/store/schema.ts'
import { readSurroundings } from '../../activities/store/surroundings.ts'
import { nowSeconds } from './agent.ts'

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

type Reserved = { payoutId: string; creator: string; wallet: string; recipient: string; nonce: string }

/** As an execute leaves a payout whose API process died behind the reservation: granted, reserved, and with no workflow. */
export async function insertReservedTransfer(db: Kysely<Database>, reserved: Reserved): Promise<void> {
  const { payoutId, creator, wallet, recipient, nonce } = reserved
  const callId = `seeded-${payoutId}`
  const granted = { grant_state: 'used', answer_state: 'open', funding: 'free' } as const
  const call = { operation: 'payout-execute', key: payoutId, fingerprint: 'seeded', path: '/api/payout-execute' }
  await db
    .insertInto('calls')
    .values({ call_id: callId, caller: `wallet:${creator}`, subject: payoutId, ...call, ...granted })
    .execute()
  const times = { valid_after: '0', valid_before: String(nowSeconds() + 3600) }
  const terms = { nonce, wallet, recipient, amount_atomic: '10000' }
  await db
    .insertInto('transfers')
    .values({ payout_id: payoutId, status: 'reserved', call_id: callId, ...terms, ...times })
    .execute()
}

/** What counts against the daily cap of a payout wallet. */
export const dailyUse = async (db: Tx, wallet: string) =>
  (await readSurroundings(db, { payout_id: '', creator: '', payout_wallet: wallet })).use
