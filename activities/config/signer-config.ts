import type { z } from 'zod'
import { configSchema, parsed } from './config.ts'
import { assertModules, moduleSettings } from './signer-settings.ts'

const signerSchema = configSchema
  .pick({
    LOG_LEVEL: true,
    BASE_URL: true,
    LOG_CONTINUES: true,
    ASSET_CONTRACT_ADDRESS: true,
    PAYOUT_WALLET_ADDRESS: true,
    PAY_TO_ADDRESS: true,
    TREASURY_PRINCIPAL_ADDRESS: true,
    CANARY_RECIPIENT: true,
    CANARY_AMOUNT_ATOMIC: true,
    CANARY_LIFE_S: true,
    SIGNER_SOCKET: true,
    SIGNER_WORKER_SOCKET: true,
    SIGNER_WALLETS_SOCKET: true,
    SIGNING_KEYS_FILE: true,
    PAYOUT_WALLET_KEY_FILE: true,
    GAS_WALLET_KEYS_FILE: true,
    SIGNER_PAYOUT_MAX_ATOMIC: true,
    SIGNER_DAILY_CAP_ATOMIC: true,
    SIGNER_FEE_MAX_WEI: true,
  })
  .extend(moduleSettings)

/** The settings of the signer, which reaches neither a database nor a chain. */
export type SignerConfig = z.output<typeof signerSchema>

/** Parses the settings of `SignerConfig`; throws a readable list of the faults. */
export function loadSignerConfig(environment: NodeJS.ProcessEnv = process.env): SignerConfig {
  const config = parsed(signerSchema, environment)
  assertModules(config)
  return config
}
