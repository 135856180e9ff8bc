import type { Address } from 'viem'
import type { DemoAccounts, ServiceAccounts } from './accounts.ts'
import type { Layout } from './layout.ts'
import type { Ports } from './ports.ts'

/** All that decides the environment of the worker and API processes of one stack. */
export type EnvironmentFacts = {
  inherited: NodeJS.ProcessEnv
  layout: Layout
  ports: Ports
  databaseUrl: string
  asset: Address
  service: ServiceAccounts
  treasury: DemoAccounts['treasury']
}

/** The environment of the embedded API process; settings of activities/config.ts that the caller set win where the stack does not decide. */
export function apiEnvironment(facts: EnvironmentFacts): NodeJS.ProcessEnv {
  const { layout, ports, service, treasury } = facts
  return {
    ...facts.inherited,
    ENVIRONMENT: 'local',
    BASE_URL: urlOf(ports.base),
    OS_URL: urlOf(ports.os),
    BIND_HOST: '127.0.0.1',
    BASE_PORT: String(ports.base),
    OS_PORT: String(ports.os),
    DATABASE_URL: facts.databaseUrl,
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS: 'off',
    TEMPORAL_UI_URL: urlOf(ports.temporalUi),
    CHAIN_RPC_URL: urlOf(ports.rpc),
    ASSET_CONTRACT_ADDRESS: facts.asset,
    PAYOUT_WALLET_ADDRESS: service.payoutWallet.address,
    PAY_TO_ADDRESS: service.payTo.address,
    TREASURY_PRINCIPAL_ADDRESS: treasury.principal.address,
    TREASURY_HOLDER_ADDRESS: treasury.holder.address,
    SIGNING_KEYS_FILE: layout.signingKeys,
  }
}

/** The environment of the embedded worker process: the API's, and the keys that only it may read. */
export function workerEnvironment(facts: EnvironmentFacts): NodeJS.ProcessEnv {
  return {
    ...apiEnvironment(facts),
    PAYOUT_WALLET_KEY_FILE: facts.layout.payoutWalletKey,
    GAS_WALLET_KEYS_FILE: facts.layout.gasWalletKeys,
  }
}

/** The URL of a port of this machine. */
export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
