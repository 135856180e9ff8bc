import type { Logger } from 'pino'
import { authorityOf, openOffers } from '../activities/build-deps.ts'
import { callbackHosts } from '../activities/callbacks/hosts.ts'
import type { Chain } from '../activities/chain/client.ts'
import type { WalletSignatures } from '../activities/chain/wallet-signature.ts'
import type { Config } from '../activities/config.ts'
import { createOutgoing } from '../activities/http/outgoing.ts'
import type { KeyRings } from '../activities/keys/key-ring.ts'
import { loadProviderKeys } from '../activities/keys/provider-keys.ts'
import { openCheckouts } from '../activities/money/checkout-desk.ts'
import type { ReceiptIssuer } from '../activities/money/deps.ts'
import { type MoneyDesk, openMoney } from '../activities/money/desk.ts'
import { openAuthorities } from '../activities/money/payment-authority.ts'
import { openProductLinks } from '../activities/money/product-links.ts'
import { openProviderDesk } from '../activities/money/provider-desk.ts'
import { openUsageLedger } from '../activities/money/usage-ledger.ts'
import { openWallets } from '../activities/money/wallet-desk.ts'
import { tellPayment } from '../temporal/payments.ts'

export type MoneySettings = ReceiptIssuer &
  Pick<MoneyDesk, 'db' | 'advanceTask' | 'tellTask' | 'tokens'> & {
    config: Config
    keys: KeyRings
    wallets: WalletSignatures
    chain: Chain
    client: Parameters<typeof tellPayment>[0]
    log: Logger
  }

/** Wires what confirms payments (providers' keys, the chain, mandates) and what the road's price gate is paid by. */
export async function openMoneyDesks({ config, keys, wallets, client, log, ...settings }: MoneySettings) {
  const paying = {
    offers: await openOffers(config, settings.chain),
    tellPayment: (paymentId: string) => tellPayment(client, paymentId),
  }
  const providerKeys = loadProviderKeys(config.PROVIDER_WEBHOOK_KEYS_FILE)
  const deps: MoneyDesk = {
    ...settings,
    ...paying,
    payTo: config.PAY_TO_ADDRESS,
    mandateSeconds: config.CHALLENGE_TTL_S,
    providers: [...new Set(providerKeys.map(({ provider }) => provider))],
    authority: authorityOf(config, keys, wallets.verify),
  }
  const warn = (error: unknown) =>
    log.warn({ error: String(error) }, 'a provider’s event is stored, and applied by the workers’ sweep')
  const desks = {
    money: openMoney(deps),
    providers: openProviderDesk({ ...deps, providerKeys, warn }),
    wallets: openWallets(deps),
    authorities: openAuthorities(deps),
    usage: openUsageLedger(deps),
    checkouts: openCheckouts(deps),
    productLinks: openProductLinks({ ...deps, sendOutgoing: createOutgoing(callbackHosts(config)) }),
  }
  return { desks, paying }
}
