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
  readonly SIGNER_SOCKET: string
  readonly CAGE_SOCKET: string
  readonly SIGNING_KEYS_FILE: string
  readonly PAYOUT_WALLET_KEY_FILE: string
  readonly GAS_WALLET_KEYS_FILE: string
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
  if (settings.CAGE_SOCKET === '')
    throw new Error(
      'configuration: with ENVIRONMENT=live only the cage reads the bytes of callers; set CAGE_SOCKET',
    )
  assertSigner(settings)
  assertEncrypted(settings)
}

/** Only the signer, which has settings of its own, reads private keys. */
function assertSigner({
  SIGNER_SOCKET,
  SIGNING_KEYS_FILE,
  PAYOUT_WALLET_KEY_FILE,
  GAS_WALLET_KEYS_FILE,
}: LiveSettings): void {
  const files = { SIGNING_KEYS_FILE, PAYOUT_WALLET_KEY_FILE, GAS_WALLET_KEYS_FILE }
  const named = Object.entries(files).flatMap(([name, path]) => (path === '' ? [] : [name]))
  if (SIGNER_SOCKET === '' || named.length > 0)
    throw new Error(
      `configuration: with ENVIRONMENT=live only the signer reads private keys; set SIGNER_SOCKET${named.length > 0 ? `, and remove ${named.join(', ')}` : ''}`,
    )
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
