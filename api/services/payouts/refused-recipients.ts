import type { Config } from '../../../activities/config/config.ts'

/** Addresses that are never paid: the zero address, the asset, and those of the service. */
export function refusedRecipients(config: Config): ReadonlySet<string> {
  return new Set([
    `0x${'0'.repeat(40)}`,
    config.ASSET_CONTRACT_ADDRESS,
    config.PAYOUT_WALLET_ADDRESS,
    config.PAY_TO_ADDRESS,
    config.TREASURY_PRINCIPAL_ADDRESS,
    config.TREASURY_HOLDER_ADDRESS,
  ])
}
