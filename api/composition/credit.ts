import type { Logger } from 'pino'
import { callbackHosts } from '../../activities/callback/hosts.ts'
import type { Chain } from '../../activities/chain/client.ts'
import type { WalletSignatures } from '../../activities/chain/wallet-signature.ts'
import type { Config } from '../../activities/config/config.ts'
import { authorityOf, openOffers } from '../../activities/container.ts'
import type { ReceiptIssuer } from '../../activities/credit/deps.ts'
import { createOutgoing } from '../../activities/http/outgoing.ts'
import type { KeyRings } from '../../activities/keys/key-ring.ts'
import { loadProviderKeys } from '../../activities/keys/provider-keys.ts'
import { notifyPayment } from '../../temporal/payments.ts'
import { openCheckouts } from '../services/credit/checkouts.ts'
import { CreditService } from '../services/credit/credit.ts'
import type { PaymentDeps } from '../services/credit/deps.ts'
import { openAuthorities } from '../services/credit/payment-authority.ts'
import { PaymentService } from '../services/credit/payments.ts'
import { openProductLinks } from '../services/credit/product-links.ts'
import { openProviderService } from '../services/credit/provider-events.ts'
import { QuoteService } from '../services/credit/quotes.ts'
import { openUsageLedger } from '../services/credit/usage-ledger.ts'
import { openWallets } from '../services/credit/wallets.ts'

export type MoneySettings = ReceiptIssuer &
  Pick<PaymentDeps, 'db' | 'advanceTask' | 'notifyTask' | 'tokens'> & {
    config: Config
    keys: KeyRings
    wallets: WalletSignatures
    chain: Chain
    client: Parameters<typeof notifyPayment>[0]
    log: Logger
  }

/** Wires what confirms payments (providers' keys, the chain, mandates) and what the road's price gate is paid by. */
export async function openCreditServices({
  config,
  keys,
  wallets,
  client,
  log,
  ...settings
}: MoneySettings) {
  const paying = {
    offers: await openOffers(config, settings.chain),
    notifyPayment: (paymentId: string) => notifyPayment(client, paymentId),
  }
  const providerKeys = loadProviderKeys(config.PROVIDER_WEBHOOK_KEYS_FILE)
  const deps: PaymentDeps = {
    ...settings,
    ...paying,
    payTo: config.PAY_TO_ADDRESS,
    mandateSeconds: config.CHALLENGE_TTL_S,
    providers: [...new Set(providerKeys.map(({ provider }) => provider))],
    authority: authorityOf(config, keys, wallets.verify),
  }
  const warn = (error: unknown) =>
    log.warn(
      { error: String(error) },
      'a provider’s event is stored, and applied by the workers’ sweep',
    )
  const services = {
    quotes: new QuoteService(deps),
    payments: new PaymentService(deps),
    credit: new CreditService(deps),
    providers: openProviderService({ ...deps, providerKeys, warn }),
    wallets: openWallets(deps),
    authorities: openAuthorities(deps),
    usage: openUsageLedger(deps),
    checkouts: openCheckouts(deps),
    productLinks: openProductLinks({
      ...deps,
      sendOutgoing: createOutgoing(callbackHosts(config)),
    }),
  }
  return { services, paying }
}
