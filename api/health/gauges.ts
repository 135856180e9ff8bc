import type { ChainReader } from '../../activities/chain/client.ts'
import type { Config } from '../../activities/config/config.ts'
import { TRANSFER_GAS } from '../../activities/container.ts'
import type { MinimumBalance } from '../../activities/payouts/minimum-balance.ts'
import { countEventsToSee } from '../../activities/store/credit/provider-events.ts'
import { readGasWallets } from '../../activities/store/gas-wallets/health.ts'
import { listPauses } from '../../activities/store/operators/controls.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { readOpenWork } from '../../activities/store/reconciliation/open-work.ts'
import { countLate } from '../../activities/store/recovery/late-rows.ts'
import type { TemporalClient } from '../../temporal/connection.ts'
import { targetAges } from '../../temporal/late-rows.ts'
import type { Gauges } from '../http/metrics.ts'
import type { HealthCommands } from '../registry/documents.ts'
import type { ReviewService } from '../services/reviews/reviews.ts'
import { gasWalletGauges } from './gas-wallet-gauges.ts'
import { moneyGauges } from './money-gauges.ts'
import { openWorkGauges } from './open-work-gauges.ts'
import { processGauges } from './process-gauges.ts'

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
