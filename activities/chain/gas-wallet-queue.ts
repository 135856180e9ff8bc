import { BaseError } from 'viem'
import type { Hex } from '#domain/core/ids.ts'
import {
  ensureGasWallets,
  findServing,
  lockPlace,
  type NewGasWalletTransaction,
  type Place,
  storeGasWalletTransaction,
} from '../store/gas-wallets/gas-wallets.ts'
import { noteJams } from '../store/gas-wallets/health.ts'
import { transaction } from '../store/postgres/db.ts'
import type { Gas } from './funds.ts'
import type { GasAccount } from './gas-account.ts'
import {
  type GasWalletCall,
  type GasWalletDeps,
  maintainWallet,
  sendStored,
  signRow,
} from './gas-wallet-upkeep.ts'
import { keepFresh } from './shared-reading.ts'

const ATTEMPTS_MAX = 3
/** If the database is restored while the process runs, the rows of the wallets exist again after this time. */
const REGISTERED_FOR_MS = 10_000

/** The settings of a queue; `gas` watches all gas wallets of `accounts`. */
export type GasWalletSettings = GasWalletDeps & { readonly accounts: readonly GasAccount[] }

/** A stored transaction. `heldUp`: its gas wallet has not moved, and no other wallet could take over. */
type Submitted = {
  readonly txHash: Hex
  readonly heldUp?: { readonly wallet: Hex; readonly since: Date }
}

/**
 * One live transaction for each purpose, signed and stored before it is sent, and a second one on another gas wallet only if the
 * first wallet is jammed. `submit` resolves once the bytes are stored, even if the broadcast failed, and throws only if nothing was
 * stored. Its hash is a hint; the logs decide the outcome. `maintain` tolerates every fault of the chain.
 */
export type GasWalletQueue = {
  submit(purpose: string, call: GasWalletCall): Promise<Submitted>
  maintain(): Promise<void>
}

/** A queue over several gas wallets; any number of processes may use the same keys. */
export function createGasWalletQueue(settings: GasWalletSettings): GasWalletQueue {
  const { db, jamAfterMs, log } = settings
  const accounts = new Map(
    settings.accounts.map((account) => [account.address.toLowerCase(), account]),
  )
  const rounds = new Map<string, Promise<void>>()
  const registered = keepFresh(() => ensureGasWallets(db, [...accounts.keys()]), REGISTERED_FOR_MS)

  /** One round at a time for each wallet; if the chain does not answer, the next round does the work. */
  const upkeep = (wallet: string): Promise<void> => {
    const account = accounts.get(wallet)
    const running = rounds.get(wallet)
    if (account === undefined || running !== undefined) return running ?? Promise.resolve()
    const round = maintainWallet(settings, account)
      .catch((error: unknown) => {
        if (!(error instanceof BaseError)) throw error
      })
      .finally(() => rounds.delete(wallet))
    rounds.set(wallet, round)
    return round
  }

  /** Maintains the stored transaction. Returns undefined if another transaction is needed. */
  const resume = async (purpose: string, wallet: string): Promise<Submitted | undefined> => {
    await upkeep(wallet)
    const kept = await findServing(db, purpose, jamAfterMs)
    if (kept === undefined) return undefined
    const txHash = kept.tx_hash as Hex
    if (kept.heldUpSince === null) return { txHash }
    return { txHash, heldUp: { wallet: kept.gas_wallet as Hex, since: kept.heldUpSince } }
  }

  /** Sends the purpose on another wallet too, if the chain has made blocks since; the last round has read the newest block. */
  const takeOver = async (purpose: string, call: GasWalletCall): Promise<Submitted | undefined> => {
    const { chainTime } = await settings.gas()
    const { row, isNew } = await allocate(settings, purpose, call, chainTime)
    if (!isNew) return undefined
    await sendStored(settings, row)
    return { txHash: row.tx_hash as Hex }
  }

  const submit = async (purpose: string, call: GasWalletCall): Promise<Submitted> => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      await registered()
      const { row, isNew } = await allocate(settings, purpose, call)
      if (!isNew) {
        const resumed = await resume(purpose, row.gas_wallet)
        if (resumed === undefined) continue
        return (resumed.heldUp && (await takeOver(purpose, call))) ?? resumed
      }
      const verdict = await sendStored(settings, row)
      if (verdict === 'nonce_too_high') await upkeep(row.gas_wallet)
      // Another program used the key: the next attempt finds the transaction that has the nonce.
      if (verdict !== 'nonce_too_low') return { txHash: row.tx_hash as Hex }
    }
    throw new Error(
      'other transactions take the EOA nonces of the gas wallets as fast as they are allocated',
    )
  }

  const maintain = async (): Promise<void> => {
    await Promise.all([...accounts.keys()].map(upkeep))
    for (const { wallet, movedAt, jammed } of await noteJams(
      db,
      [...accounts.keys()],
      jamAfterMs,
    )) {
      const facts = { gasWallet: wallet, movedAt: movedAt.toISOString() }
      if (jammed) log.warn(facts, 'a gas wallet has not moved for too long')
      else log.info(facts, 'a gas wallet moves again')
    }
  }

  return { submit, maintain }
}

type Allocated = {
  row: Pick<NewGasWalletTransaction, 'raw' | 'tx_hash' | 'gas_wallet'>
  isNew: boolean
}

/**
 * Allocates an EOA nonce, signs and stores; nothing is sent. Returns the stored transaction if one serves or waits, except on
 * a wallet that has not moved although the chain has reached `chainTime` (Unix seconds).
 */
export async function allocate(
  settings: GasWalletSettings,
  purpose: string,
  call: GasWalletCall,
  chainTime = 0n,
): Promise<Allocated> {
  const { db, accounts, jamAfterMs } = settings
  const gas = await settings.gas()
  const places = placesOf(gas, call.gas)
  return transaction(db, async (tx, atCommit) => {
    const place = await lockPlace(tx, purpose, { places, jamAfterMs, chainTime })
    const serving = place === undefined ? await findServing(tx, purpose, jamAfterMs) : undefined
    if (serving !== undefined) return { row: serving, isNew: false }
    const account = accounts.find(({ address }) => address.toLowerCase() === place?.address)
    if (place === undefined || account === undefined) throw new Error('the queue has no gas wallet')
    const row = await signRow(account, place.nonce, purpose, call, gas.fees)
    atCommit(storeGasWalletTransaction(tx, row))
    return { row, isNew: true }
  })
}

/** How many transactions of this much gas each wallet can pay for, at most as many as Postgres counts. */
function placesOf({ fees, gasWalletsWithFunds }: Gas, callGas: bigint): Place[] {
  const cost = callGas * fees.maxFeePerGas
  return gasWalletsWithFunds.map(({ address, wei, mined, pooled }) => ({
    address,
    mined,
    pooled,
    affords: cost === 0n ? AFFORDS_MAX : min(wei / cost, AFFORDS_MAX),
  }))
}

const AFFORDS_MAX = 1_000_000_000n
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
