import type { Kysely } from 'kysely'
import type { Hex, LocalAccount } from 'viem'
import { principalTypedData } from '#domain/payouts/principal-authorization.ts'
import { readPayoutConstraints } from '../../activities/store/payouts/constraints.ts'
import {
  authorizedPayout,
  createdPayout,
  insertPayout,
  type NewPayout,
  requirePayout,
  updateAuthorized,
} from '../../activities/store/payouts/payouts.ts'
import { insertTransfer, reservedTransfer } from '../../activities/store/payouts/transfers.ts'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { nowSeconds } from './agent.ts'

/** What the principal signs for `insertAuthorizedPayout`. */
export const signSeeded = (
  principal: LocalAccount,
  payout: NewPayout,
  expiresAt: number,
): Promise<Hex> =>
  principal.signTypedData(
    principalTypedData({
      payoutId: payout.payout_id,
      payoutWallet: payout.payout_wallet,
      recipient: payout.recipient,
      amountAtomic: payout.amount_atomic,
      asset: payout.asset,
      expiresAt,
      idempotencyKey: 'a',
    }),
  )

/** Writes the row of a payout that was created and then authorized to be executed until `expiresAt` (Unix seconds). */
export async function insertAuthorizedPayout(
  db: Kysely<Database>,
  payout: NewPayout,
  expiresAt: number,
  principalSignature = `0x${'11'.repeat(65)}`,
): Promise<void> {
  const now = new Date()
  const created = createdPayout(payout, now)
  const facts = {
    expiresAt,
    idempotencyKey: 'a',
    fingerprint: 'f',
    mandateRef: 'm',
    principalSignature,
  }
  await transaction(db, async (_, atCommit) => {
    atCommit(insertPayout(created))
    atCommit(updateAuthorized(authorizedPayout(created, facts, now)))
  })
}

/** As an execute leaves a payout whose API process died behind the reservation: granted, reserved, and with no workflow. */
export async function insertReservedTransfer(
  db: Kysely<Database>,
  payoutId: string,
): Promise<void> {
  const { payout } = await requirePayout(db, payoutId)
  const callId = `seeded-${payoutId}`
  const granted = { grant_state: 'used', answer_state: 'open', funding: 'free' } as const
  const call = {
    operation: 'payout-execute',
    key: payoutId,
    fingerprint: 'seeded',
    path: '/api/payout-execute',
  }
  await db
    .insertInto('calls')
    .values({
      call_id: callId,
      caller: `wallet:${payout.creator}`,
      subject: payoutId,
      ...call,
      ...granted,
    })
    .execute()
  const reservation = {
    nonce: payout.transfer_nonce ?? '',
    validBefore: Number(payout.expires_at),
    callId,
  }
  await insertTransfer(reservedTransfer(payout, reservation, nowSeconds())).run(db)
}

/** What counts against the daily cap of a payout wallet. */
export const dailyUse = async (db: Tx, wallet: string) =>
  (await readPayoutConstraints(db, '', { creator: '', payout_wallet: wallet })).use
