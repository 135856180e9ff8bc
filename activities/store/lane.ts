import { type Selectable, sql } from 'kysely'
import type { Tx } from './db.ts'
import type { LaneTransactionsTable } from './schema.ts'

/** One signed transaction of a gas wallet; numbers of the chain are decimal texts, as Postgres gives them. */
export type LaneTransaction = Selectable<LaneTransactionsTable> & {
  /** Whether a node took it so long ago that a replacement is due. */
  stuck: boolean
}
export type NewLaneTransaction = Omit<Selectable<LaneTransactionsTable>, 'outcome' | 'created_at' | 'broadcast_at'>
export type LaneOutcome = LaneTransaction['outcome']

/** Makes the rows that allocation locks; known wallets keep their nonce. */
export async function ensureGasWallets(tx: Tx, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return
  const rows = addresses.map((address) => ({ address, next_nonce: '0' }))
  await tx
    .insertInto('gas_wallets')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Serialises all allocations for one purpose until the transaction ends. */
export async function lockPurpose(tx: Tx, purpose: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`lane:${purpose}`}, 0))`.execute(tx)
}

/** The next EOA nonce to give out, at least `atLeast`; the wallet's row stays locked until the transaction ends. */
export async function lockGasWallet(tx: Tx, address: string, atLeast = 0n): Promise<bigint> {
  const row = await tx
    .selectFrom('gas_wallets')
    .select(sql<string>`greatest(next_nonce, ${atLeast.toString()}::bigint)`.as('next_nonce'))
    .where('address', '=', address)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new Error('a gas wallet has no row')
  return BigInt(row.next_nonce)
}

export async function nextNonce(tx: Tx, address: string): Promise<bigint> {
  const row = await tx.selectFrom('gas_wallets').select('next_nonce').where('address', '=', address).executeTakeFirst()
  return BigInt(row?.next_nonce ?? '0')
}

/** Stores a signed transaction before it is broadcast, and keeps the wallet's next nonce above it. */
export async function storeLaneTransaction(tx: Tx, row: NewLaneTransaction): Promise<void> {
  await tx.insertInto('lane_transactions').values(row).execute()
  await tx
    .updateTable('gas_wallets')
    .set({ next_nonce: sql<string>`greatest(next_nonce, ${row.eoa_nonce}::bigint + 1)` })
    .where('address', '=', row.gas_wallet)
    .execute()
}

/** The newest transaction that can still serve, or did serve, a purpose: neither reverted nor superseded. */
export async function findLaneTransaction(tx: Tx, purpose: string): Promise<LaneTransaction | undefined> {
  return select(tx, 0)
    .where('purpose', '=', purpose)
    .where((where) => where.or([where('outcome', 'is', null), where('outcome', '=', 'mined')]))
    .orderBy(sql`outcome nulls last`)
    .orderBy(sql`max_fee_per_gas desc`)
    .limit(1)
    .executeTakeFirst()
}

/** What the chain and the rows may disagree about: open transactions, and any at or above the chain's nonce; lowest nonce first, then newest. */
export async function listUnsettled(
  tx: Tx,
  wallet: string,
  chainNonce: bigint,
  stuckAfterMs: number,
): Promise<LaneTransaction[]> {
  return select(tx, stuckAfterMs)
    .where('gas_wallet', '=', wallet)
    .where((where) => where.or([where('outcome', 'is', null), where('eoa_nonce', '>=', chainNonce.toString())]))
    .orderBy('eoa_nonce')
    .orderBy(sql`max_fee_per_gas desc`)
    .execute()
}

export async function listAtNonce(tx: Tx, wallet: string, nonce: bigint): Promise<LaneTransaction[]> {
  return select(tx, 0)
    .where('gas_wallet', '=', wallet)
    .where('eoa_nonce', '=', nonce.toString())
    .orderBy(sql`max_fee_per_gas desc`)
    .execute()
}

/** How many EOA nonces of each wallet are open; wallets without any are absent. */
export async function countOpen(tx: Tx): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('lane_transactions')
    .select(['gas_wallet', sql<string>`count(distinct eoa_nonce)`.as('open')])
    .where('outcome', 'is', null)
    .groupBy('gas_wallet')
    .execute()
  return new Map(rows.map((row) => [row.gas_wallet, Number(row.open)]))
}

/** Writes what became of an EOA nonce: the mined hash, if any, and all others superseded. `null` opens the nonce again after a lost block. */
export async function recordNonce(
  tx: Tx,
  wallet: string,
  nonce: string,
  mined: { txHash: string; outcome: 'mined' | 'reverted' } | 'superseded' | null,
): Promise<void> {
  const outcome =
    mined === null || mined === 'superseded'
      ? sql<LaneOutcome>`${mined}`
      : sql<LaneOutcome>`case when tx_hash = ${mined.txHash} then ${mined.outcome} else 'superseded' end`
  await tx
    .updateTable('lane_transactions')
    .set({ outcome })
    .where('gas_wallet', '=', wallet)
    .where('eoa_nonce', '=', nonce)
    .execute()
}

/** A node took these bytes, for the first time. */
export async function recordBroadcast(tx: Tx, txHash: string): Promise<void> {
  await tx
    .updateTable('lane_transactions')
    .set({ broadcast_at: sql<Date>`clock_timestamp()` })
    .where('tx_hash', '=', txHash)
    .where('broadcast_at', 'is', null)
    .execute()
}

const select = (tx: Tx, stuckAfterMs: number) =>
  tx
    .selectFrom('lane_transactions')
    .selectAll()
    .select(
      sql<boolean>`coalesce(broadcast_at < clock_timestamp() - ${stuckAfterMs} * interval '1 millisecond', false)`.as(
        'stuck',
      ),
    )
