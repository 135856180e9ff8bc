/** Decision: a block that is reorganised away takes a fee with it, whose answer is final by then. */
const CONFIRMATIONS_MIN = 5

type LiveSettings = {
  readonly REAL_FUNDS: string
  readonly CONFIRMATIONS: number
  readonly CALLBACK_ALLOW_HOSTS: readonly string[]
  readonly BASE_URL: string
  readonly OS_URL: string
  readonly OPERATOR_OIDC_ISSUER: string
  readonly CHAIN_RPC_URL: readonly string[]
  readonly CONFIRM_RPC_URL: readonly string[]
}

/** Throws for a setting that ENVIRONMENT=live does not allow. */
export function assertLive(settings: LiveSettings): void {
  const { CHAIN_RPC_URL, CONFIRM_RPC_URL } = settings
  if (settings.REAL_FUNDS !== 'enabled')
    throw new Error(
      'configuration: ENVIRONMENT=live moves real funds; set REAL_FUNDS=enabled as well, or use the local chain',
    )
  if (settings.CONFIRMATIONS < CONFIRMATIONS_MIN)
    throw new Error(
      `configuration: ENVIRONMENT=live needs CONFIRMATIONS of ${CONFIRMATIONS_MIN} or more`,
    )
  if (!CONFIRM_RPC_URL.some((url) => !CHAIN_RPC_URL.includes(url)))
    throw new Error(
      'configuration: ENVIRONMENT=live needs a CONFIRM_RPC_URL of another provider than CHAIN_RPC_URL',
    )
  if (settings.CALLBACK_ALLOW_HOSTS.length > 0)
    throw new Error(
      'configuration: CALLBACK_ALLOW_HOSTS is for local work; it opens the network of a live service',
    )
  assertEncrypted(settings)
}

/** Origins, operators' issuer and chain are reached over TLS. */
function assertEncrypted({
  BASE_URL,
  OS_URL,
  OPERATOR_OIDC_ISSUER,
  CHAIN_RPC_URL,
  CONFIRM_RPC_URL,
}: LiveSettings) {
  const named = {
    CHAIN_RPC_URL,
    CONFIRM_RPC_URL,
    BASE_URL: [BASE_URL],
    OS_URL: [OS_URL],
    OPERATOR_OIDC_ISSUER: [OPERATOR_OIDC_ISSUER],
  }
  const plain = Object.entries(named).filter(([, urls]) =>
    urls.some((url) => url !== '' && !url.startsWith('https://')),
  )
  if (plain.length > 0)
    throw new Error(
      `configuration: with ENVIRONMENT=live, ${plain.map(([name]) => name).join(', ')} must be https`,
    )
}
