import { createOutgoing } from '../../../activities/http/outgoing.ts'
import type { Adapters } from '../../adapters.ts'
import type { InputServices } from '../inputs/open.ts'
import type { ReceiptServices } from '../receipts/open.ts'
import { CreditService } from './credit.ts'
import { PaymentAuthorityService } from './payment-authority.ts'
import { PaymentService } from './payments.ts'
import { ProductLinkService } from './product-links.ts'
import { ProviderService } from './provider-events.ts'
import { QuoteService } from './quotes.ts'
import { UsageLedger } from './usage-ledger.ts'
import { WalletService } from './wallets.ts'

export type CreditServices = ReturnType<typeof openCredit>

/** Quotes, the payments that fund them, and the credit of agents. */
export function openCredit(
  adapters: Adapters,
  { uploadChecks, samples }: InputServices & ReceiptServices,
) {
  const { log, callbackHosts } = adapters
  const deps = { ...adapters, uploadChecks }
  const warn = (error: unknown) =>
    log.warn({ error: String(error) }, 'the sweep of the workers applies a stored provider event')
  return {
    quotes: new QuoteService(deps),
    payments: new PaymentService(deps),
    credit: new CreditService(deps),
    providers: new ProviderService({ ...deps, warn }),
    wallets: new WalletService(deps),
    authorities: new PaymentAuthorityService(deps),
    usage: new UsageLedger({ ...deps, samples }),
    productLinks: new ProductLinkService({
      ...deps,
      sendOutgoing: createOutgoing(callbackHosts),
    }),
  }
}
