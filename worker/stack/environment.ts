import type { Address } from 'viem'
import type { DemoAccounts, ServiceAccounts } from './accounts.ts'
import type { Layout } from './layout.ts'
import type { Ports } from './ports.ts'

/** All that decides the settings of one stack's processes. */
export type EnvironmentFacts = {
  layout: Layout
  ports: Ports
  /** One for each role that a process of the stack has. */
  databaseUrls: { api: string; worker: string }
  asset: Address
  service: ServiceAccounts
  treasury: DemoAccounts['treasury']
}

/** The settings of activities/config/config.ts that the stack decides for the API; all others are the caller's. */
export function apiSettings({
  layout,
  ports,
  databaseUrls,
  asset,
  service,
  treasury,
}: EnvironmentFacts): Record<string, string> {
  return {
    ENVIRONMENT: 'local',
    BASE_URL: urlOf(ports.base),
    OS_URL: urlOf(ports.os),
    BIND_HOST: '127.0.0.1',
    BASE_PORT: String(ports.base),
    OS_PORT: String(ports.os),
    DATABASE_URL: databaseUrls.api,
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS: 'off',
    TEMPORAL_TLS_CA_FILE: '',
    TEMPORAL_TLS_CERT_FILE: '',
    TEMPORAL_TLS_KEY_FILE: '',
    BLOCK_EXPLORER_URL: '',
    TEMPORAL_UI_URL: urlOf(ports.temporalUi),
    INPUT_SPACE_PATH: layout.root,
    CHAIN_RPC_URL: urlOf(ports.rpc),
    ...addressSettings({ asset, service, treasury }),
    SIGNER_SOCKET: layout.signerSocket,
    CAGE_SOCKET: layout.cageSocket,
    TOKEN_KEYS_FILE: layout.tokenKeys,
  }
}

/** The settings that name addresses of the local chain. */
export function addressSettings({
  asset,
  service,
  treasury,
}: Pick<EnvironmentFacts, 'asset' | 'service' | 'treasury'>): Record<string, string> {
  return {
    ASSET_CONTRACT_ADDRESS: asset,
    PAYOUT_WALLET_ADDRESS: service.payoutWallet.address,
    PAY_TO_ADDRESS: service.payTo.address,
    TREASURY_PRINCIPAL_ADDRESS: treasury.principal.address,
    TREASURY_HOLDER_ADDRESS: treasury.holder.address,
  }
}

/** The API's settings with the database role and the socket of the worker, and that of the wallets. */
export function workerSettings(facts: EnvironmentFacts): Record<string, string> {
  return {
    ...runWorkerSettings(facts),
    SIGNER_WALLETS_SOCKET: facts.layout.walletsSocket,
  }
}

/** The same without the socket of the wallets. */
export const runWorkerSettings = (facts: EnvironmentFacts): Record<string, string> => ({
  ...apiSettings(facts),
  DATABASE_URL: facts.databaseUrls.worker,
  SIGNER_SOCKET: facts.layout.workerSocket,
})

/** Names of the settings that the caller decides for the cage, which inherits nothing else. */
const ofCage = ['PATH', 'LOG_LEVEL', 'RUN_PROCESSES', 'RUN_CPU_MS', 'RUN_MEMORY_MB'] as const

/** The whole environment of the cage: it knows of no database, no signer and no Temporal. */
export function cageSettings(
  { layout }: Pick<EnvironmentFacts, 'layout'>,
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const decided = ofCage.flatMap((name) =>
    inherited[name] === undefined ? [] : [[name, inherited[name]] as const],
  )
  return { ...Object.fromEntries(decided), CAGE_SOCKET: layout.cageSocket }
}

/** The settings of the signer, the only process that reads private keys. */
export function signerSettings({
  layout,
  ports,
  ...addresses
}: Omit<EnvironmentFacts, 'databaseUrls'>): Record<string, string> {
  return {
    BASE_URL: urlOf(ports.base),
    ...addressSettings(addresses),
    SIGNER_SOCKET: layout.signerSocket,
    SIGNER_WORKER_SOCKET: layout.workerSocket,
    SIGNER_WALLETS_SOCKET: layout.walletsSocket,
    SIGNING_KEYS_FILE: layout.signingKeys,
    PAYOUT_WALLET_KEY_FILE: layout.payoutWalletKey,
    GAS_WALLET_KEYS_FILE: layout.gasWalletKeys,
  }
}

/** The URL of a port of this machine. */
export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
