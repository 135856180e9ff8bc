import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { type Hex, keccak256 } from 'viem'
import { groupedBy } from '#domain/core/grouped-by.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import {
  finalCount,
  type GasWalletTransaction,
  listAtNonce,
  listUnsettled,
  lockGasWallet,
  type NewGasWalletTransaction,
  type NonceEnd,
  nextNonce,
  recordBroadcast,
  recordEnds,
  reopenNonce,
  storeGasWalletTransaction,
} from '../store/gas-wallets/gas-wallets.ts'
import { transaction } from '../store/postgres/db.ts'
import type { Database } from '../store/schema/schema.ts'
import { traced } from '../tracing/spans.ts'
import { type BroadcastVerdict, broadcast } from './broadcast.ts'
import { NodeFaultError } from './chain-fault.ts'
import type { BlockMark, ChainReader, ChainView } from './client.ts'
import { bumpFees, type Fees } from './fees.ts'
import type { GasWatch } from './funds.ts'
import type { GasAccount } from './gas-account.ts'
import { findReceipt } from './receipt.ts'

/**
 * The parts of the queue. `feeBumpAfterMs` counts from the first accepted broadcast, `jamAfterMs` from the time when the oldest
 * open nonce of a wallet became the oldest.
 */
export type GasWalletDeps = {
  readonly db: Kysely<Database>
  readonly view: Pick<ChainView, 'reader' | 'heights'>
  readonly gas: GasWatch
  readonly feeBumpAfterMs: number
  readonly jamAfterMs: number
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** How many EOA nonces one round maintains. The lowest come first, because no higher nonce can be mined before them. */
const NONCES_PER_ROUND = 256n
/** How many receipts are requested at once. */
const RECEIPTS_AT_ONCE = 16
const FILLER_GAS = 21_000n

/** One call to be signed for a purpose at an EOA nonce of a gas wallet. */
export type GasWalletCall = { readonly to: Hex; readonly data: Hex; readonly gas: bigint }

/** Signs without sending; the row holds the raw bytes and their hash, lowercase. */
export async function signRow(
  account: GasAccount,
  nonce: bigint,
  purpose: string,
  call: GasWalletCall,
  fees: Fees,
): Promise<NewGasWalletTransaction> {
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: CHAIN_ID,
    nonce: Number(nonce),
    ...call,
    ...fees,
  })
  return {
    tx_hash: keccak256(raw),
    gas_wallet: account.address.toLowerCase(),
    eoa_nonce: nonce.toString(),
    purpose,
    to_address: call.to.toLowerCase(),
    data: call.data,
    gas: call.gas.toString(),
    max_fee_per_gas: fees.maxFeePerGas.toString(),
    max_priority_fee_per_gas: fees.maxPriorityFeePerGas.toString(),
    raw,
  }
}

/** Broadcasts stored bytes and notes that a node has them. */
export async function sendStored(
  { db, view: { reader } }: GasWalletDeps,
  row: Pick<GasWalletTransaction, 'raw' | 'tx_hash'>,
): Promise<BroadcastVerdict> {
  const attributes = { 'blockchain.transaction.hash': row.tx_hash }
  const verdict = await traced({ name: 'broadcast', kind: 'client', attributes }, () =>
    broadcast(reader, row.raw as Hex),
  )
  if (verdict === 'accepted' || verdict === 'known') await recordBroadcast(db, row.tx_hash)
  return verdict
}

/**
 * Brings the rows of one gas wallet and the chain together. Nonces below that of the chain get their outcome, which is looked at
 * again until it is final. The others are kept in the pool, raised when stuck, reopened after a lost block, and holes are filled.
 * Several processes may do this at the same time. Throws if the chain does not answer, or is not the one that the rows know.
 */
export async function maintainWallet(deps: GasWalletDeps, account: GasAccount): Promise<void> {
  const { db, view, feeBumpAfterMs } = deps
  const { reader } = view
  const wallet = account.address.toLowerCase()
  const { head, finalized } = await view.heights()
  const [mined, pooled] = await Promise.all([
    countAt(reader, account, { blockNumber: head.number }),
    countAt(reader, account, { blockTag: 'pending' }),
  ])
  if (mined < (await finalCount(db, wallet)))
    throw new NodeFaultError(`the node denies final transactions of the gas wallet ${wallet}`)
  // The next nonce is read before the rows, so that an allocation in between does not look like a hole.
  const next = await nextNonce(db, wallet)
  const end = next - mined > NONCES_PER_ROUND ? mined + NONCES_PER_ROUND : next
  const unsettled = await listUnsettled(
    db,
    wallet,
    { mined, end: end > mined ? end : mined, finalized: finalized.number },
    feeBumpAfterMs,
  )
  const rows = groupedBy(unsettled, ({ eoa_nonce }) => BigInt(eoa_nonce))
  const past = [...rows].filter(([nonce]) => nonce < mined)
  const hashOf = blockHashes(reader)
  for (let from = 0; from < past.length; from += RECEIPTS_AT_ONCE) {
    const ends = await Promise.all(
      past
        .slice(from, from + RECEIPTS_AT_ONCE)
        .map(([nonce, siblings]) => endOf({ reader, hashOf, head, finalized }, nonce, siblings)),
    )
    await confirmChain(reader, finalized)
    await recordEnds(db, wallet, ends)
  }
  if (end > mined) await confirmChain(reader, finalized)
  for (let nonce = mined; nonce < end; nonce++)
    await keepAlive(deps, account, { nonce, mined, pooled, siblings: rows.get(nonce) ?? [] })
}

/** Nothing is written after a reading unless the nodes still have the block that was final at its start: another chain has not. */
async function confirmChain(reader: ChainReader, { number, hash }: BlockMark): Promise<void> {
  if ((await reader.getBlock({ blockNumber: number })).hash !== hash)
    throw new NodeFaultError('the node denies a block that was final')
}

const countAt = async (
  reader: ChainReader,
  { address }: GasAccount,
  at: { blockNumber: bigint } | { blockTag: 'pending' },
) => BigInt(await reader.getTransactionCount({ address, ...at }))

/** The hashes of blocks, each read once. */
function blockHashes(reader: ChainReader): (blockNumber: bigint) => Promise<Hex> {
  const known = new Map<bigint, Promise<Hex>>()
  return (blockNumber) => {
    const hash =
      known.get(blockNumber) ?? reader.getBlock({ blockNumber }).then((block) => block.hash)
    known.set(blockNumber, hash)
    return hash
  }
}

type Reading = {
  readonly reader: ChainReader
  readonly hashOf: (blockNumber: bigint) => Promise<Hex>
  readonly head: BlockMark
  readonly finalized: BlockMark
}

/**
 * The chain has passed this nonce: one of our hashes has a receipt, or another transaction of the key used the nonce. A missing
 * receipt decides nothing until the block by which the nonce was passed is final.
 */
async function endOf(
  { reader, hashOf, head, finalized }: Reading,
  nonce: bigint,
  siblings: GasWalletTransaction[],
): Promise<NonceEnd> {
  for (const { tx_hash: txHash } of siblings) {
    const receipt = await findReceipt(reader, txHash as Hex)
    if (receipt === undefined) continue
    const { blockNumber: block, blockHash, status } = receipt
    const outcome = status === 'success' ? 'mined' : 'reverted'
    const final = block <= finalized.number && (await hashOf(block)) === blockHash
    return { nonce, mined: { txHash, outcome }, block, final }
  }
  const waiting = siblings.every(({ outcome }) => outcome === null)
  const since = siblings.find(({ block_number }) => block_number !== null)?.block_number
  // A receipt that was there before and is missing now starts the wait again.
  const block = waiting && since != null ? BigInt(since) : head.number
  return { nonce, mined: undefined, block, final: block <= finalized.number }
}

type Waiting = { nonce: bigint; mined: bigint; pooled: bigint; siblings: GasWalletTransaction[] }

async function keepAlive(
  deps: GasWalletDeps,
  account: GasAccount,
  { nonce, mined, pooled, siblings }: Waiting,
): Promise<void> {
  const [newest] = siblings
  if (newest === undefined) return nonce >= pooled ? fillHole(deps, account, nonce) : undefined
  if (siblings.some((row) => row.outcome !== null || row.block_number !== null))
    await reopenNonce(deps.db, newest.gas_wallet, newest.eoa_nonce)
  if (newest.stuck && (await isDueForMore(deps, newest, nonce === mined)))
    return raise(deps, account, newest)
  if (nonce < pooled && newest.broadcast_at !== null) return
  if ((await sendStored(deps, newest)) === 'underpriced') await raise(deps, account, newest)
}

/** True for the lowest nonce, and for a fee far below the base fee; the others only wait for lower nonces. */
async function isDueForMore(
  { gas }: GasWalletDeps,
  row: GasWalletTransaction,
  first: boolean,
): Promise<boolean> {
  return first || BigInt(row.max_fee_per_gas) < (await gas()).fees.maxFeePerGas / 2n
}

/** A replacement on the same nonce, stored before it is sent, unless another process replaced it first. */
async function raise(
  deps: GasWalletDeps,
  account: GasAccount,
  newest: GasWalletTransaction,
): Promise<void> {
  const { db, gas } = deps
  const old = {
    maxFeePerGas: BigInt(newest.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(newest.max_priority_fee_per_gas),
  }
  const fees = bumpFees(old, (await gas()).fees)
  const call = { to: newest.to_address as Hex, data: newest.data as Hex, gas: BigInt(newest.gas) }
  const row = fees && (await signRow(account, BigInt(newest.eoa_nonce), newest.purpose, call, fees))
  const stored =
    row &&
    (await transaction(db, async (tx, atCommit) => {
      await lockGasWallet(tx, newest.gas_wallet)
      const [top] = await listAtNonce(tx, newest.gas_wallet, BigInt(newest.eoa_nonce))
      if (top?.tx_hash !== newest.tx_hash) return undefined
      atCommit(storeGasWalletTransaction(tx, row))
      return row
    }))
  await sendStored(deps, stored ?? newest)
}

/** The transaction of another program below our nonce has vanished: an empty transfer to itself fills the hole. */
async function fillHole(deps: GasWalletDeps, account: GasAccount, nonce: bigint): Promise<void> {
  const wallet = account.address.toLowerCase()
  const call = { to: wallet as Hex, data: '0x', gas: FILLER_GAS } as const
  const row = await signRow(
    account,
    nonce,
    `hole:${wallet}:${nonce}`,
    call,
    (await deps.gas()).fees,
  )
  const stored = await transaction(deps.db, async (tx, atCommit) => {
    await lockGasWallet(tx, wallet)
    if ((await listAtNonce(tx, wallet, nonce)).length > 0) return undefined
    atCommit(storeGasWalletTransaction(tx, row))
    return row
  })
  if (stored !== undefined) await sendStored(deps, stored)
}
