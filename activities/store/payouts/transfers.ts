import { sql } from 'kysely'
import { limits } from '#domain/core/limits.ts'
import { notifyChanged } from '../postgres/changes.ts'
import type { Tx } from '../postgres/db.ts'
import type { Text } from '../postgres/pipeline.ts'
import { prepared, preparedInsert } from '../postgres/prepared.ts'
import { type FinalizedBlock, now } from '../postgres/rows.ts'
import type { PayoutRow, TransferRow } from './payouts.ts'

/** The position of a transfer on chain. The time is in Unix seconds. */
export type Block = {
  transactionHash: string
  blockNumber: bigint
  blockHash: string
  blockTime: bigint
  confirmations: number
}
const changed = { changed_at: now }

/**
 * Serialises all reservations of one payout wallet until the transaction ends, so that the daily sum is exact, and
 * stops changes of switches (`lockSwitches`). Read under this lock only in later statements. The wallet is that of
 * the stored payout unless it is given.
 */
export async function lockDailyCap(
  tx: Tx,
  of: { payoutId: string } | { wallet: string },
): Promise<void> {
  if ('wallet' in of) await lockCap(null, of.wallet).run(tx)
  else await lockCap(of.payoutId, null).run(tx)
}

const lockCap = prepared(
  (_, payoutId: string | null, wallet: string | null) => sql`
    select pg_advisory_xact_lock(hashtextextended(
      'cap:' || coalesce(${wallet}, (select payout_wallet from payouts where payout_id = ${payoutId})), 0)),
    pg_advisory_xact_lock_shared(hashtextextended('switches', 0))`,
)

/** Atomic units that are reserved and not yet confirmed, of any age. */
const underWay = (wallet: Text) => sql<string>`coalesce((select sum(amount_atomic) from transfers
    where wallet = ${wallet} and status in ('reserved','signed','submitted')), 0)`

// The time of the statement. A time that is computed again for each row cannot use an index.
const windowStart = sql`(statement_timestamp() - ${sql.lit(limits.dailyWindowSeconds)} * interval '1 second')`
const confirmedSince = (wallet: Text) =>
  sql`from transfers where wallet = ${wallet} and status in ('included','final') and block_time > ${windowStart}`

/**
 * What counts against the daily cap now: every reservation in progress of any age, and confirmed transfers whose
 * block is less than 24 hours old. Confirmed transfers count as sums of ten minutes, and as single rows at the start
 * of the window. Returns one row: the sum, and the milliseconds until the oldest confirmed transfer stops counting.
 */
export const dailyUseOf = (wallet: Text) => sql<{ used: string; frees_in_ms: string | null }>`
  select (${underWay(wallet)}
      + coalesce((select sum(amount_atomic) from confirmed_totals where wallet = ${wallet} and since > ${windowStart}), 0)
      + coalesce((select sum(amount_atomic) ${confirmedSince(wallet)}
          and block_time < date_bin('10 minutes', ${windowStart}, 'epoch') + interval '10 minutes'), 0))::text as used,
    (extract(epoch from (select min(block_time) ${confirmedSince(wallet)}) - ${windowStart}) * 1000)::bigint::text as frees_in_ms`

/**
 * What counts against a cap, including this reserved transfer once. If everything in use exceeds the cap, only
 * reservations up to this transfer count, so that later ones, or ones that a reorganisation brought back, do not
 * refuse it.
 */
export async function dailyUseWith(tx: Tx, transfer: TransferRow, cap: bigint): Promise<bigint> {
  const all = await dailyUseOf(transfer.wallet).execute(tx)
  const inUse = BigInt(all.rows[0]?.used ?? '0')
  if (inUse <= cap) return inUse
  const since = sql`(${transfer.reserved_at}::timestamptz - ${sql.lit(limits.dailyWindowSeconds)} * interval '1 second')`
  const earlier = await sql<{
    used: string
  }>`select coalesce(sum(amount_atomic), 0)::text as used from transfers
      where wallet = ${transfer.wallet} and status <> 'dead' and payout_id <> ${transfer.payout_id}
      and reserved_at <= ${transfer.reserved_at} and (block_time is null or (reserved_at > ${since} and block_time > ${since}))`.execute(
    tx,
  )
  return BigInt(earlier.rows[0]?.used ?? '0') + BigInt(transfer.amount_atomic)
}

/**
 * Atomic units that a balance at `block` still contains but that are already promised: transfers in progress, and
 * transfers mined later. A mined transfer that is not recorded yet also counts, so the sum is never too small.
 */
export async function outstanding(tx: Tx, wallet: string, block: bigint): Promise<bigint> {
  const query = sql<{ promised: string }>`
    select (${underWay(wallet)} + coalesce((select sum(amount_atomic) from transfers
      where wallet = ${wallet} and status in ('included','final') and block_number > ${block.toString()}), 0))::text as promised`
  const { rows } = await query.execute(tx)
  return BigInt(rows[0]?.promised ?? '0')
}

/** A new transfer: the unsigned terms of its authorization. Times are in Unix seconds. */
export function reservedTransfer(
  payout: Pick<PayoutRow, 'payout_id' | 'payout_wallet' | 'recipient' | 'amount_atomic'>,
  reservation: { nonce: string; validBefore: number; callId: string },
  nowSeconds: number,
): TransferRow {
  const { payout_id, payout_wallet: wallet, recipient, amount_atomic } = payout
  const at = new Date(nowSeconds * 1000)
  const terms = { nonce: reservation.nonce, wallet, recipient, amount_atomic }
  return {
    payout_id,
    ...terms,
    valid_after: '0',
    valid_before: String(reservation.validBefore),
    call_id: reservation.callId,
    status: 'reserved',
    signature: null,
    from_block: null,
    transaction_hash: null,
    block_number: null,
    block_hash: null,
    block_time: null,
    confirmations: 0,
    parked: null,
    exception: null,
    dead_reason: null,
    dead_block_number: null,
    dead_block_hash: null,
    dead_block_time: null,
    reserved_at: at,
    changed_at: at,
  }
}

export const insertTransfer = preparedInsert('transfers')

/** Stores the signature if there is none. A second signer loses, and the first signature stays. */
export async function recordSignature(tx: Tx, payoutId: string, signature: string): Promise<void> {
  await setSignature(payoutId, signature).run(tx)
}

const setSignature = prepared((tx, payoutId: string, signature: string) =>
  tx
    .updateTable('transfers')
    .set({ signature, status: 'signed', parked: null, ...changed })
    .where('payout_id', '=', payoutId)
    .where('status', '=', 'reserved')
    .where('signature', 'is', null),
)

/** Stores, before the first broadcast, the block from which this transfer's events are searched. */
export async function recordFromBlock(tx: Tx, payoutId: string, fromBlock: bigint): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ from_block: fromBlock.toString() })
    .where('payout_id', '=', payoutId)
    .where('from_block', 'is', null)
    .execute()
}

/** Records that the transfer was stored and, if a node accepted it, sent. `parked` is the reason if it is blocked. */
export async function recordSubmitted(
  tx: Tx,
  payoutId: string,
  transactionHash: string,
  parked: string | null,
): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ status: 'submitted', transaction_hash: transactionHash, parked, ...changed })
    .where('payout_id', '=', payoutId)
    .where('status', 'in', ['signed', 'submitted'])
    .execute()
  await notifyChanged(tx, payoutId)
}

/** Parks the transfer until an operator acts. It has not failed; callers and operators see the reason. */
export async function recordParked(tx: Tx, payoutId: string, reason: string | null): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ parked: reason, ...changed })
    .where('payout_id', '=', payoutId)
    .where('status', 'not in', ['final', 'dead'])
    .execute()
  await notifyChanged(tx, payoutId)
}

export async function recordException(tx: Tx, payoutId: string, exception: string): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ exception, ...changed })
    .where('payout_id', '=', payoutId)
    .execute()
  await notifyChanged(tx, payoutId)
}

export async function recordInclusion(
  tx: Tx,
  payoutId: string,
  block: Block,
  status: 'included' | 'final',
): Promise<TransferRow | undefined> {
  return tx
    .updateTable('transfers')
    .set({
      status,
      transaction_hash: block.transactionHash,
      block_number: block.blockNumber.toString(),
      block_hash: block.blockHash,
      block_time: new Date(Number(block.blockTime) * 1000),
      confirmations: block.confirmations,
      parked: null,
      ...changed,
    })
    .where('payout_id', '=', payoutId)
    .where('status', 'in', ['signed', 'submitted', 'included'])
    .returningAll()
    .executeTakeFirst()
}

/** Records that the block of the transfer vanished. The same bytes are sent again. */
export async function recordVanishedBlock(tx: Tx, payoutId: string): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ status: 'submitted', confirmations: 0, ...changed })
    .where('payout_id', '=', payoutId)
    .where('status', '=', 'included')
    .execute()
  await notifyChanged(tx, payoutId)
}

/** Why a transfer can never happen, and the finalized block that proves it. */
export type ProofOfDeath = { reason: 'expired' | 'canceled'; finalizedBlock: FinalizedBlock }

/** Records that, by a finalized block, the transfer never happened and never can. Only this releases a cap. */
export async function recordDead(
  tx: Tx,
  { payoutId, exception }: { payoutId: string; exception: string | null },
  { reason, finalizedBlock }: ProofOfDeath,
): Promise<TransferRow | undefined> {
  return tx
    .updateTable('transfers')
    .set({
      status: 'dead',
      parked: null,
      exception,
      dead_reason: reason,
      dead_block_number: finalizedBlock.number.toString(),
      dead_block_hash: finalizedBlock.hash,
      dead_block_time: new Date(Number(finalizedBlock.timestamp) * 1000),
      ...changed,
    })
    .where('payout_id', '=', payoutId)
    .where('status', 'not in', ['final', 'dead'])
    .returningAll()
    .executeTakeFirst()
}

/** The payouts whose transfer is in progress, the oldest change first. */
export async function listOpenTransfers(tx: Tx, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('transfers')
    .select('payout_id')
    .where('status', 'not in', ['final', 'dead'])
    .orderBy('changed_at')
    .limit(most)
    .execute()
  return rows.map((row) => row.payout_id)
}
