import { statfs } from 'node:fs/promises'
import type { Address } from 'viem'
import { limits } from '#domain/core/limits.ts'
import type { ChainReader } from '../../activities/chain/client.ts'
import { readGas, readTokens } from '../../activities/chain/funds.ts'
import { keepFresh } from '../../activities/chain/shared-reading.ts'
import type { Config } from '../../activities/config/config.ts'
import { TRANSFER_GAS } from '../../activities/container.ts'
import type { MinimumBalance } from '../../activities/payouts/minimum-balance.ts'
import { readDailyUse } from '../../activities/store/console/money.ts'
import { countEventsToSee } from '../../activities/store/credit/provider-events.ts'
import { type GasWalletHealth, readGasWallets } from '../../activities/store/gas-wallets/health.ts'
import { listPauses } from '../../activities/store/operators/controls.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { databaseBytes } from '../../activities/store/postgres/health.ts'
import { readOpenWork } from '../../activities/store/reconciliation/open-work.ts'
import { countLate } from '../../activities/store/recovery/late-rows.ts'
import type { TemporalClient } from '../../temporal/connection.ts'
import { targetAges } from '../../temporal/late-rows.ts'
import { taskQueues } from '../../temporal/queues.ts'
import { listPollers } from '../../temporal/readiness.ts'
import type { Gauges } from '../http/metrics.ts'
import type { ReviewService } from '../services/reviews/reviews.ts'
import type { HealthCommands } from '../shapes/documents.ts'
import { openWorkGauges } from './open-work-gauges.ts'

/** The gauges of the gas wallets for /metrics, all from one read. */
function gasWalletGauges(gasWallets: () => Promise<GasWalletHealth[]>): Gauges {
  const read = keepFresh(gasWallets, 0)
  const gauge = (help: string, of: (gasWalletQueue: GasWalletHealth) => number) => ({
    help,
    label: 'gas_wallet',
    read: async () =>
      new Map((await read()).map((gasWalletQueue) => [gasWalletQueue.wallet, of(gasWalletQueue)])),
  })
  return {
    agent_rails_gas_wallet_open_nonces: gauge(
      'EOA nonces given out and not mined.',
      (gasWalletQueue) => gasWalletQueue.open,
    ),
    agent_rails_gas_wallet_idle_seconds: gauge(
      'How long the oldest open nonce is the same one.',
      (gasWalletQueue) => gasWalletQueue.idleMs / 1000,
    ),
    agent_rails_gas_wallet_jammed: gauge(
      '1 when that is longer than GAS_WALLET_JAM_AFTER_MS.',
      (gasWalletQueue) => Number(gasWalletQueue.jammed),
    ),
  }
}

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
function moneyGauges(deps: MoneyDeps): Gauges {
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

type Readings = {
  db: Tx
  client: TemporalClient
  health: Pick<HealthCommands, 'dependencies'>
  config: Pick<Config, 'INPUT_SPACE_PATH' | 'RECONCILE_EVERY_MS'>
}

/** Scrapes within this time share one reading. */
const FRESH_MS = 5_000
/** The size of a database takes a look at each of its files. */
const SIZE_FRESH_MS = 60_000

/** The gauges of what the service stands on: its dependencies, its workers, and the disk of Postgres. */
function processGauges({ db, client, health, config }: Readings): Gauges {
  const dependencies = keepFresh(health.dependencies, FRESH_MS)
  const pollers = keepFresh(() => countAll(client), FRESH_MS)
  const size = keepFresh(() => databaseBytes(db), SIZE_FRESH_MS)
  return {
    agent_rails_dependency_up: {
      help: '1 where a dependency of this process is well, as /readyz says; 0 where calls fail for it.',
      label: 'dependency',
      read: async () =>
        new Map(Object.entries(await dependencies()).map(([name, { ok }]) => [name, Number(ok)])),
    },
    agent_rails_queue_pollers: {
      help: 'Workers that polled a task queue in the last minute.',
      label: 'queue',
      read: pollers,
    },
    agent_rails_database_bytes: { help: 'Size of the database.', read: size },
    agent_rails_database_disk_free_bytes: {
      help: 'Free bytes of the disk of a local Postgres, by INPUT_SPACE_PATH; none where that is not set.',
      read: () => freeBytes(config.INPUT_SPACE_PATH),
    },
    agent_rails_reconcile_every_seconds: {
      help: 'Time between two scheduled reconciliations.',
      read: async () => config.RECONCILE_EVERY_MS / 1000,
    },
  }
}

async function countAll(client: TemporalClient): Promise<Map<string, number>> {
  const counts = Object.entries(taskQueues).map(async ([taskQueue, kind]) => {
    const polled = await listPollers(client, { taskQueue, kind, ms: 1_000 })
    return [taskQueue, polled.length] as const
  })
  return new Map(await Promise.all(counts))
}

async function freeBytes(path: string): Promise<number | undefined> {
  if (path === '') return undefined
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

type GaugeDeps = {
  db: Tx
  client: TemporalClient
  minimumBalance: MinimumBalance
  config: Pick<
    Config,
    | 'PAYOUT_BALANCE_MIN_ATOMIC'
    | 'GAS_WALLET_JAM_AFTER_MS'
    | 'ASSET_CONTRACT_ADDRESS'
    | 'PAYOUT_WALLET_ADDRESS'
    | 'LATE_AFTER_MS'
    | 'ENVIRONMENT'
    | 'INPUT_SPACE_PATH'
    | 'RECONCILE_EVERY_MS'
  >
  chain: { reader: ChainReader }
}

type GaugeServices = {
  reviews: Pick<ReviewService, 'waiting'>
  health: Pick<HealthCommands, 'dependencies'>
}

/** The gauges that operators set alarms on, read for each scrape. */
export function createGauges(
  { db, client, minimumBalance, config, chain }: GaugeDeps,
  { reviews, health }: GaugeServices,
): Gauges {
  const gasWallets = () => readGasWallets(db, config.GAS_WALLET_JAM_AFTER_MS)
  return {
    ...payoutGauges(db, minimumBalance, config.PAYOUT_BALANCE_MIN_ATOMIC),
    ...gasWalletGauges(gasWallets),
    ...moneyGauges({
      db,
      reader: chain.reader,
      asset: config.ASSET_CONTRACT_ADDRESS,
      payoutWallet: config.PAYOUT_WALLET_ADDRESS,
      transferGas: TRANSFER_GAS,
      gasWallets,
    }),
    ...processGauges({ db, client, config, health }),
    ...openWorkGauges({
      openWork: () => readOpenWork(db),
      reviews: () => reviews.waiting(),
      providerEvents: () => countEventsToSee(db),
      late: () => countLate(db, targetAges(config)),
    }),
  }
}

/** Pauses, and the headroom if a minimum balance is set. */
function payoutGauges(db: Tx, minimumBalance: MinimumBalance, minimumAtomic: bigint): Gauges {
  const pauses = { help: 'Active pauses.', read: async () => (await listPauses(db)).length }
  if (minimumAtomic === 0n) return { agent_rails_pauses: pauses }
  const help =
    'Atomic units that may leave the payout wallet before its minimum balance is reached; negative below it.'
  const read = async () => {
    const seen = await minimumBalance.read()
    return seen === undefined ? undefined : Number(await minimumBalance.headroom(db, seen))
  }
  return { agent_rails_pauses: pauses, agent_rails_minimum_balance_headroom_atomic: { help, read } }
}
