import { BaseError, type LocalAccount } from 'viem'
import type { Hex } from '../../workflows/domain/ids.ts'
import { transaction } from '../store/db.ts'
import {
  countOpen,
  ensureGasWallets,
  findLaneTransaction,
  lockGasWallet,
  lockPurpose,
  type NewLaneTransaction,
  storeLaneTransaction,
} from '../store/lane.ts'
import { estimateFees } from './fees.ts'
import { type LaneCall, type LaneDeps, maintainWallet, sendStored, signRow } from './lane-upkeep.ts'

const ATTEMPTS_MAX = 3

/**
 * The submitter lane (payout.md, execute step 3): one live transaction for each purpose, signed and stored before it is sent.
 * `submit` resolves once the bytes are stored, whatever the broadcast said, and throws only when nothing could be stored;
 * its hash is a hint, the outcome is found by the logs. `maintain` throws for no fault of the chain.
 */
export type SubmitterLane = {
  submit(purpose: string, call: LaneCall): Promise<{ txHash: Hex }>
  maintain(): Promise<void>
}

/** A lane over several gas wallets; any number of processes may run one over the same keys. */
export function createLane(settings: LaneDeps & { readonly accounts: readonly LocalAccount[] }): SubmitterLane {
  const accounts = new Map(settings.accounts.map((account) => [account.address.toLowerCase(), account]))
  const rounds = new Map<string, Promise<void>>()

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

  const submit = async (purpose: string, call: LaneCall): Promise<{ txHash: Hex }> => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const known = await findLaneTransaction(settings.db, purpose)
      if (known !== undefined) {
        await upkeep(known.gas_wallet)
        const kept = await findLaneTransaction(settings.db, purpose)
        if (kept !== undefined) return { txHash: kept.tx_hash as Hex }
      }
      const row = await allocate(settings, purpose, call)
      const verdict = await sendStored(settings, row)
      if (verdict === 'nonce_too_high') await upkeep(row.gas_wallet)
      // Somebody else used the key: the next attempt finds out which transaction holds the nonce.
      if (verdict !== 'nonce_too_low') return { txHash: row.tx_hash as Hex }
    }
    throw new Error('the EOA nonces of the gas wallets are taken by other transactions as fast as they are given out')
  }

  return {
    submit,
    maintain: async () => {
      await Promise.all([...accounts.keys()].map(upkeep))
    },
  }
}

/** Gives out an EOA nonce, signs and stores; nothing is sent. Without a new row when another process was first. */
export async function allocate(
  settings: LaneDeps & { readonly accounts: readonly LocalAccount[] },
  purpose: string,
  call: LaneCall,
): Promise<Pick<NewLaneTransaction, 'raw' | 'tx_hash' | 'gas_wallet'>> {
  const { db, reader, accounts } = settings
  const fees = await estimateFees(reader)
  const { account, pooled } = await chooseWallet(settings, call.gas * fees.maxFeePerGas)
  const wallet = account.address.toLowerCase()
  await ensureGasWallets(
    db,
    accounts.map(({ address }) => address.toLowerCase()),
  )
  return transaction(db, async (tx) => {
    await lockPurpose(tx, purpose)
    const other = await findLaneTransaction(tx, purpose)
    if (other !== undefined) return other
    const nonce = await lockGasWallet(tx, wallet, pooled)
    const row = await signRow(account, nonce, purpose, call, fees)
    await storeLaneTransaction(tx, row)
    return row
  })
}

/** The wallet with the fewest open nonces among those that can pay for one more; chance decides between equals. */
async function chooseWallet(
  { db, reader, accounts }: LaneDeps & { readonly accounts: readonly LocalAccount[] },
  cost: bigint,
) {
  const open = await countOpen(db)
  const candidates = await Promise.all(
    accounts.map(async (account) => {
      const [balance, pooled] = await Promise.all([
        reader.getBalance({ address: account.address }),
        reader.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      ])
      const load = open.get(account.address.toLowerCase()) ?? 0
      return { account, pooled: BigInt(pooled), order: load + Math.random(), poor: balance < cost * BigInt(load + 1) }
    }),
  )
  const [best] = candidates.sort((a, b) => Number(a.poor) - Number(b.poor) || a.order - b.order)
  if (best === undefined) throw new Error('the lane has no gas wallet')
  return best
}
