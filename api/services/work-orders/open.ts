import type { Adapters } from '../../adapters.ts'
import type { AuthorityServices } from '../authority/open.ts'
import type { CreditServices } from '../credit/open.ts'
import type { InputServices } from '../inputs/open.ts'
import { DeliveryChecks } from './delivery-checks.ts'
import { ExchangeService } from './exchange.ts'
import { WalletRunService } from './wallet-runs.ts'
import { WorkOrderService } from './work-orders.ts'

/** Orders of work: of clients, on the exchange, and from a wallet. */
export function openWorkOrders(
  adapters: Adapters,
  used: AuthorityServices & CreditServices & InputServices,
) {
  const { writeGate: gate, quotes, payments, uploadChecks } = used
  const deps = { ...adapters, gate, quotes, payments, uploadChecks }
  return {
    workOrders: new WorkOrderService(deps),
    exchange: new ExchangeService({
      ...deps,
      deliveries: new DeliveryChecks(adapters),
      claimMs: adapters.config.EXCHANGE_CLAIM_MS,
    }),
    walletRuns: new WalletRunService(deps),
  }
}
