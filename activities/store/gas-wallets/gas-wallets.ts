import { type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Compilable } from '../postgres/pipeline.ts'
import { prepared } from '../postgres/prepared.ts'
import { now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

/** One signed transaction of a gas wallet. Chain numbers are decimal texts, as Postgres returns them. */
export type GasWalletTransaction = Selectable<Database['gas_wallet_transactions']> & {
  /** Whether a node accepted it so long ago that a replacement is due. */
  stuck: boolean
}
export type NewGasWalletTransaction = Omit<
  Selectable<Database['gas_wallet_transactions']>,
  'outcome' | 'block_number' | 'final' | 'created_at' | 'broadcast_at'
>

/**
 * The transaction that serves a purpose. `heldUpSince` is set if it is open and the queue of its wallet has been
 * blocked since then.
 */
export type ServingTransaction = Selectable<Database['gas_wallet_transactions']> & {
  heldUpSince: Date | null
}

/** The on-chain state of a gas wallet, and how many open nonces it can pay for. */
export type Place = { address: string; mined: bigint; pooled: bigint; affords: bigint }

/** An EOA nonce that the chain has passed by `block`: which of our transactions was mined, or that no receipt was found. */
export type NonceEnd = {
  nonce: bigint
  mined: { txHash: string; outcome: 'mined' | 'reverted' } | undefined
  block: bigint
  /** Whether `block` is final. Until then the outcome may change, and a missing receipt is none. */
  final: boolean
}

/** What waits for the chain: the chain has not passed its nonce, as far as is known. */
export const waits = (table: string) =>
  sql<boolean>`(${sql.ref(`${table}.outcome`)} is null and ${sql.ref(`${table}.block_number`)} is null)`

/** The queue of a wallet is blocked if its oldest open nonce has been the same for this long. */
const isJammed = (wallet: string, jamAfterMs: number) => sql<boolean>`(
  ${sql.ref(`${wallet}.moved_at`)} < clock_timestamp() - ${jamAfterMs} * interval '1 millisecond'
  and exists (select from gas_wallet_transactions o where o.gas_wallet = ${sql.ref(`${wallet}.address`)} and not o.final and ${waits('o')}))`

/** Inserts the rows that allocation locks. Known wallets keep their nonce. */
export async function ensureGasWallets(tx: Tx, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return
  const rows = addresses.map((address) => ({ address, next_nonce: '0' }))
  await tx
    .insertInto('gas_wallets')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const lockPurpose = prepared(
  (_, purpose: string) =>
    sql`select pg_advisory_xact_lock(hashtextextended('gas wallet purpose:' || ${purpose}, 0))`,
)

/**
 * The gas wallet that takes this purpose and its next EOA nonce; purpose and wallet stay locked until the transaction ends.
 * The one with the fewest open nonces, before it those that can pay and move. Undefined when the purpose is served: it was
 * mined, or it waits where it is. Another wallet that moves and can pay takes over only if the chain continued without the
 * first one: it made blocks, up to `chainTime` (Unix seconds), for `jamAfterMs` after the wallet's queue moved.
 */
export async function lockPlace(
  tx: Tx,
  purpose: string,
  {
    places,
    jamAfterMs,
    chainTime,
  }: { places: readonly Place[]; jamAfterMs: number; chainTime: bigint },
): Promise<{ address: string; nonce: bigint } | undefined> {
  const column = (read: (place: Place) => bigint) => places.map((place) => read(place).toString())
  const load = sql`greatest(w.next_nonce, p.pooled) - p.mined`
  const place = sql<{ address: string; nonce: string }>`
    select w.address, greatest(w.next_nonce, p.pooled) as nonce
    from gas_wallets w
    join unnest(
      ${places.map(({ address }) => address)}::text[], ${column(({ mined }) => mined)}::bigint[],
      ${column(({ pooled }) => pooled)}::bigint[], ${column(({ affords }) => affords)}::bigint[]
    ) as p (address, mined, pooled, affords) on p.address = w.address
    cross join lateral (select ${load} >= p.affords as poor, ${isJammed('w', jamAfterMs)} as jammed) as s
    where not exists (
      select from gas_wallet_transactions t join gas_wallets h on h.address = t.gas_wallet
      where t.purpose = ${purpose} and (t.outcome = 'mined' or t.outcome is null and (
        s.poor or s.jammed or h.address = w.address
        or h.moved_at + ${jamAfterMs} * interval '1 millisecond' > to_timestamp(${chainTime.toString()}::bigint))))
    order by s.poor, s.jammed, ${load}, random()
    limit 1 for update of w`
  // Two statements, because a single one would read the purpose before it waited for the lock.
  await lockPurpose(purpose).run(tx)
  const { rows } = await place.execute(tx)
  const [row] = rows
  return row && { address: row.address, nonce: BigInt(row.nonce) }
}

/** Serialises changes of one gas wallet's nonces until the transaction ends. */
export async function lockGasWallet(tx: Tx, address: string): Promise<void> {
  await tx
    .selectFrom('gas_wallets')
    .select('address')
    .where('address', '=', address)
    .forUpdate()
    .execute()
}

export async function nextNonce(tx: Tx, address: string): Promise<bigint> {
  const row = await tx
    .selectFrom('gas_wallets')
    .select('next_nonce')
    .where('address', '=', address)
    .executeTakeFirst()
  return BigInt(row?.next_nonce ?? '0')
}

/**
 * Stores a signed transaction before its broadcast and advances the wallet's next nonce. The waiting time of an empty
 * queue starts. Returns the statement.
 */
export function storeGasWalletTransaction(
  tx: Tx,
  row: NewGasWalletTransaction,
): Compilable & { execute(): Promise<unknown> } {
  return tx
    .with('stored', (db) =>
      db.insertInto('gas_wallet_transactions').values(row).returning(['gas_wallet', 'eoa_nonce']),
    )
    .updateTable('gas_wallets as w')
    .from('stored')
    .set({
      next_nonce: sql<string>`greatest(w.next_nonce, stored.eoa_nonce + 1)`,
      moved_at: sql<Date>`case when exists (
        select from gas_wallet_transactions o where o.gas_wallet = w.address and not o.final and ${waits('o')}
      ) then w.moved_at else clock_timestamp() end`,
    })
    .whereRef('w.address', '=', 'stored.gas_wallet')
}

/**
 * The transaction that serves or served a purpose, neither reverted nor superseded: the mined one, then one that
 * moves, then the newest.
 */
export async function findServing(
  tx: Tx,
  purpose: string,
  jamAfterMs: number,
): Promise<ServingTransaction | undefined> {
  return tx
    .selectFrom('gas_wallet_transactions as t')
    .innerJoin('gas_wallets as w', 'w.address', 't.gas_wallet')
    .selectAll('t')
    .select(
      sql<Date | null>`case when ${waits('t')} and ${isJammed('w', jamAfterMs)} then w.moved_at end`.as(
        'heldUpSince',
      ),
    )
    .where('t.purpose', '=', purpose)
    .where((where) => where.or([where('t.outcome', 'is', null), where('t.outcome', '=', 'mined')]))
    .orderBy(sql`t.outcome nulls last, "heldUpSince" desc nulls first, t.created_at desc`)
    .limit(1)
    .executeTakeFirst()
}

/** The number of nonces of a wallet that are used for good; a chain that has fewer is another one, or far behind. */
export async function finalCount(tx: Tx, wallet: string): Promise<bigint> {
  const row = await tx
    .selectFrom('gas_wallet_transactions')
    .select('eoa_nonce')
    .where('gas_wallet', '=', wallet)
    .where('final', '=', true)
    .orderBy('eoa_nonce', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? 0n : BigInt(row.eoa_nonce) + 1n
}

/**
 * Transactions below the nonce `end` on which the chain and the rows may disagree: open ones, any at or above the chain's
 * nonce, and those whose block has become final. Lowest nonce first, then newest.
 */
export async function listUnsettled(
  tx: Tx,
  wallet: string,
  { mined, end, finalized }: { mined: bigint; end: bigint; finalized: bigint },
  stuckAfterMs: number,
): Promise<GasWalletTransaction[]> {
  return select(tx, stuckAfterMs)
    .where('gas_wallet', '=', wallet)
    .where('eoa_nonce', '<', end.toString())
    .where('final', '=', false)
    .where((where) =>
      where.or([
        where('outcome', 'is', null),
        where('eoa_nonce', '>=', mined.toString()),
        where('block_number', '<=', finalized.toString()),
      ]),
    )
    .orderBy('eoa_nonce')
    .orderBy(sql`max_fee_per_gas desc`)
    .execute()
}

export async function listAtNonce(
  tx: Tx,
  wallet: string,
  nonce: bigint,
): Promise<GasWalletTransaction[]> {
  return select(tx, 0)
    .where('gas_wallet', '=', wallet)
    .where('eoa_nonce', '=', nonce.toString())
    .orderBy(sql`max_fee_per_gas desc`)
    .execute()
}

/**
 * Stores what the chain shows of EOA nonces that it has passed. Next to a transaction that was mined, the others of its nonce are
 * superseded; without one, only a final block says so. The waiting time of the queue restarts when a nonce was passed.
 */
export async function recordEnds(tx: Tx, wallet: string, ends: readonly NonceEnd[]): Promise<void> {
  if (ends.length === 0) return
  await sql`
    with ends as (
      select * from unnest(
        ${ends.map(({ nonce }) => nonce.toString())}::bigint[], ${ends.map(({ mined }) => mined?.txHash ?? null)}::text[],
        ${ends.map(({ mined }) => mined?.outcome ?? null)}::text[], ${ends.map(({ block }) => block.toString())}::bigint[],
        ${ends.map(({ final }) => final)}::boolean[]
      ) as e (nonce, tx_hash, outcome, block, final)
    ), passed as (
      select t.tx_hash from gas_wallet_transactions t join ends e on e.nonce = t.eoa_nonce
      where t.gas_wallet = ${wallet} and ${waits('t')}
    ), ended as (
      update gas_wallet_transactions t set block_number = e.block, final = e.final, outcome = case
        when t.tx_hash = e.tx_hash then e.outcome when e.tx_hash is not null or e.final then 'superseded' end
      from ends e
      where t.gas_wallet = ${wallet} and t.eoa_nonce = e.nonce and not t.final
    )
    update gas_wallets set moved_at = clock_timestamp() where address = ${wallet} and exists (select from passed)`.execute(
    tx,
  )
}

/** Reopens an EOA nonce whose block was lost before it was final. The waiting time of the queue starts now. */
export async function reopenNonce(tx: Tx, wallet: string, nonce: string): Promise<void> {
  await sql`
    with reopened as (
      update gas_wallet_transactions t set outcome = null, block_number = null
      where gas_wallet = ${wallet} and eoa_nonce = ${nonce} and not final and not ${waits('t')} returning tx_hash
    )
    update gas_wallets set moved_at = clock_timestamp() where address = ${wallet} and exists (select from reopened)`.execute(
    tx,
  )
}

/** Records the first time that a node accepted this transaction. */
export async function recordBroadcast(tx: Tx, txHash: string): Promise<void> {
  await tx
    .updateTable('gas_wallet_transactions')
    .set({ broadcast_at: now })
    .where('tx_hash', '=', txHash)
    .where('broadcast_at', 'is', null)
    .execute()
}

const select = (tx: Tx, stuckAfterMs: number) =>
  tx
    .selectFrom('gas_wallet_transactions')
    .selectAll()
    .select(
      sql<boolean>`coalesce(broadcast_at < clock_timestamp() - ${stuckAfterMs} * interval '1 millisecond', false)`.as(
        'stuck',
      ),
    )
