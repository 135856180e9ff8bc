import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { transaction } from '../../../activities/store/postgres/db.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'

export const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** Places a run by hand at one of its stages, so that a test looks at some sections only. */
export const placeAt = (db: Kysely<Database>, reconciliationId: string, stage: number) =>
  transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`update reconciliations set stage = ${stage}, after_key = null where reconciliation_id = ${reconciliationId}`.execute(
      tx,
    )
  })

/** One payout as it stands at the end, with the Unix times of its steps; a transfer where it has a block or is dead. */
export type Seed = {
  amount: bigint
  createdAt: number
  authorizedAt?: number | undefined
  executedAt?: number | undefined
  diedAt?: number | undefined
  block?: number | undefined
}

/** Writes a payout of `wallet` as its steps would have left it, by hand; no receipts, and no call but the transfer's. */
export async function seedPayout(
  db: Kysely<Database>,
  wallet: string,
  seed: Seed,
): Promise<{ payoutId: string; hash: string }> {
  const payoutId = `po_${hex(32)}`
  const [hash, recipient, nonce, creator] = [
    `0x${hex(32)}`,
    `0x${hex(20)}`,
    `0x${hex(32)}`,
    `0x${hex(20)}`,
  ]
  const amount = seed.amount.toString()
  const at = (seconds: number | undefined) => sql<Date>`to_timestamp(${seconds ?? null}::float8)`
  await sql`insert into payouts (payout_id, creator, idempotency_key, recipient, amount_atomic, memo, rail_reference, usage, asset, payout_wallet, terms_sha256, state, created_at)
    values (${payoutId}, ${creator}, 'k', ${recipient}, ${amount}, 'm', 'r', 'synthetic', ${`0x${hex(20)}`}, ${wallet}, ${hex(32)}, 'created', ${at(seed.createdAt)})`.execute(
    db,
  )
  if (seed.authorizedAt !== undefined)
    await sql`update payouts set state = 'authorized', authorized_at = ${at(seed.authorizedAt)}, expires_at = 4000000000, mandate_ref = 'm',
      authorize_idempotency_key = 'a', authorize_fingerprint = 'f', principal_signature = ${`0x${hex(65)}`}, transfer_nonce = ${nonce}
      where payout_id = ${payoutId}`.execute(db)
  if (seed.executedAt !== undefined || seed.diedAt !== undefined) {
    const callId = await seedCall(db, seed.createdAt, 'none', creator)
    const status = seed.executedAt === undefined ? 'dead' : 'final'
    await sql`insert into transfers (payout_id, nonce, wallet, recipient, amount_atomic, valid_after, valid_before, signature, status, call_id)
      values (${payoutId}, ${nonce}, ${wallet}, ${recipient}, ${amount}, 0, 4000000000, '0x', 'signed', ${callId})`.execute(
      db,
    )
    const proof =
      status === 'dead'
        ? sql`, dead_reason = 'canceled', dead_block_number = 9, dead_block_hash = ${`0x${hex(32)}`}, dead_block_time = ${at(seed.diedAt)}`
        : sql``
    await sql`update transfers set status = ${status}${proof}, transaction_hash = ${hash}, block_number = ${seed.block ?? 0}, block_hash = ${`0x${hex(32)}`},
      block_time = ${at(seed.executedAt ?? seed.diedAt)}, changed_at = ${at(seed.diedAt ?? seed.executedAt)}
      where payout_id = ${payoutId}`.execute(db)
  }
  if (seed.executedAt !== undefined)
    await sql`update payouts set state = 'executed', executed_at = ${at(seed.executedAt)} where payout_id = ${payoutId}`.execute(
      db,
    )
  return { payoutId, hash }
}

export async function seedCall(
  db: Kysely<Database>,
  grantedAt: number,
  funding: 'none' | 'free',
  creator = '0x',
): Promise<string> {
  const callId = `call_${hex(16)}`
  await sql`insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding, path, granted_at)
    values (${callId}, ${`wallet:${creator}`}, 'payout-execute', ${callId}, 'f', 'used', 'open', ${funding}, '/', to_timestamp(${grantedAt}))`.execute(
    db,
  )
  return callId
}

/** A settled fee in a block. */
export async function seedFee(db: Kysely<Database>, amount: bigint, block: number): Promise<void> {
  await sql`insert into payments (payment_id, asset, payer, authorization_nonce, pay_to, amount_atomic, valid_after, valid_before, signature,
    requirements, proof_wallet, state, transaction_hash, block_number, block_hash)
    values (${hex(32)}, ${`0x${hex(20)}`}, ${`0x${hex(20)}`}, ${`0x${hex(32)}`}, ${`0x${hex(20)}`}, ${amount.toString()}, 0, 1, '0x', '{}', 'w', 'settled',
    ${`0x${hex(32)}`}, ${block}, ${`0x${hex(32)}`})`.execute(db)
}
