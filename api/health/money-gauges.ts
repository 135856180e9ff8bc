import type { Address } from 'viem'
import { limits } from '#domain/core/limits.ts'
import type { ChainReader } from '../../activities/chain/client.ts'
import { readGas, readTokens } from '../../activities/chain/funds.ts'
import { keepFresh } from '../../activities/chain/shared-reading.ts'
import { readDailyUse } from '../../activities/store/console/money.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import type { Gauges } from '../http/metrics.ts'

type MoneyDeps = {
  db: Tx
  reader: ChainReader
  asset: Address
  payoutWallet: Address
  /** Gas that one transfer may use. */
  transferGas: bigint
  gasWallets(): Promise<{ wallet: string }[]>
}

/** Scrapes within this time share one reading of the chain. */
const CHAIN_FRESH_MS = 10_000

/** The gauges of what the wallets hold and of the daily cap, for /metrics. */
export function moneyGauges(deps: MoneyDeps): Gauges {
  const { db, reader, asset, payoutWallet, transferGas } = deps
  const balance = keepFresh(() => readTokens(reader, asset, payoutWallet), CHAIN_FRESH_MS)
  const transfersLeft = keepFresh(async () => {
    const wallets = (await deps.gasWallets()).map(({ wallet }) => wallet as Address)
    const { weiOf, weiPerGas } = await readGas(reader, wallets)
    const price = transferGas * weiPerGas
    return new Map(
      Object.entries(weiOf).map(([wallet, wei]) => [wallet, Number(wei / (price || 1n))]),
    )
  }, CHAIN_FRESH_MS)
  return {
    agent_rails_payout_wallet_atomic: {
      help: 'Atomic units that the payout wallet holds.',
      read: async () => Number(await balance()),
    },
    agent_rails_gas_wallet_transfers_left: {
      help: 'Transfers that the ether of a gas wallet pays for at the present fees.',
      label: 'gas_wallet',
      read: transfersLeft,
    },
    agent_rails_daily_cap_used_atomic: {
      help: 'Atomic units that count against the daily cap now.',
      read: async () => Number(await readDailyUse(db, payoutWallet)),
    },
    agent_rails_daily_cap_atomic: {
      help: 'The daily cap in atomic units.',
      read: async () => Number(limits.dailyCapAtomic),
    },
  }
}
