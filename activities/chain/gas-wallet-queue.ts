import { BaseError, type LocalAccount } from 'viem'
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
import {
  type GasWalletCall,
  type GasWalletDeps,
  maintainWallet,
  sendStored,
  signRow,
} from './gas-wallet-upkeep.ts'
import { keepFresh } from './shared-reading.ts'

const ATTEMPTS_MAX = 3
/** A database that was restored beside a living process has the wallets' rows again after this long. */
const REGISTERED_FOR_MS = 10_000

/** What a lane works with; all gas wallets of `accounts` are watched by `gas`. */
export type GasWalletSettings = GasWalletDeps & { readonly accounts: readonly LocalAccount[] }

/** A stored transaction, and why it waits longer than it should: its gas wallet has not moved, and no other could take over. */
type Submitted = {
  readonly txHash: Hex
  readonly heldUp?: { readonly wallet: Hex; readonly since: Date }
}

/**
 * The submitter lane (payout.md, execute step 3): one live transaction for each purpose, signed and stored before it is sent;
 * one more only on another gas wallet, where the first one's is jammed. `submit` resolves once the bytes are stored, whatever
 * the broadcast said, and throws only when nothing could be stored; its hash is a hint, the outcome is found by the logs.
 * `maintain` throws for no fault of the chain.
 */
export type GasWalletQueue = {
  submit(purpose: string, call: GasWalletCall): Promise<Submitted>
  maintain(): Promise<void>
}

/** A lane over several gas wallets; any number of processes may run one over the same keys. */
export function createGasWalletQueue(settings: GasWalletSettings): GasWalletQueue {
  const { db, jamAfterMs, log } = settings
  const accounts = new Map(
    settings.accounts.map((account) => [account.address.toLowerCase(), account]),
  )
  const rounds = new Map<string, Promise<void>>()
  const registered = keepFresh(() => ensureGasWallets(db, [...accounts.keys()]), REGISTERED_FOR_MS)

  /** One round at a time for each wallet; what a chain that does not answer leaves undone is left to the next round. */
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

  /** Looks after what is stored already; undefined when it turns out to serve no longer. */
  const resume = async (purpose: string, wallet: string): Promise<Submitted | undefined> => {
    await upkeep(wallet)
    const kept = await findServing(db, purpose, jamAfterMs)
    if (kept === undefined) return undefined
    const txHash = kept.tx_hash as Hex
    if (kept.heldUpSince === null) return { txHash }
    return { txHash, heldUp: { wallet: kept.gas_wallet as Hex, since: kept.heldUpSince } }
  }

  /** Sends the purpose on another wallet as well, if the chain made blocks all the while; the round before has seen the newest. */
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
      // Somebody else used the key: the next attempt finds out which transaction holds the nonce.
      if (verdict !== 'nonce_too_low') return { txHash: row.tx_hash as Hex }
    }
    throw new Error(
      'the EOA nonces of the gas wallets are taken by other transactions as fast as they are given out',
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
 * Gives out an EOA nonce, signs and stores; nothing is sent. Answers what is stored already where that serves or waits; lanes
 * that stood still while the chain went on to `chainTime` (Unix seconds) are not waited for.
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
    if (place === undefined || account === undefined) throw new Error('the lane has no gas wallet')
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
