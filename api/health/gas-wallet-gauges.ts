import { keepFresh } from '../../activities/chain/shared-reading.ts'
import type { GasWalletHealth } from '../../activities/store/gas-wallets/health.ts'
import type { Gauges } from '../http/metrics.ts'

/** The gauges of the gas wallets for /metrics, all from one read. */
export function gasWalletGauges(gasWallets: () => Promise<GasWalletHealth[]>): Gauges {
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
