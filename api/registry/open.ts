import type { Adapters } from '../adapters.ts'
import { createHealth } from '../health/health.ts'
import type { AnyOperation } from '../operation.ts'
import { openResolver } from '../services/resolver/open.ts'
import { createContractViews } from './contract-view.ts'
import { createDiscovery } from './discovery.ts'
import { createEnforcement } from './enforcement.ts'
import { freeToolsOf } from './free-tools.ts'
import { createHardening } from './hardening.ts'
import { schemaDocuments } from './schema-documents.ts'

/** What the service says of itself: what is made from the registry of its operations, and its health. */
export function openRegistry(
  adapters: Adapters,
  registry: readonly AnyOperation[],
  payoutOperations: readonly AnyOperation[],
) {
  const { config, db, keys } = adapters
  return {
    ...openResolver(adapters, freeToolsOf(registry)),
    enforcement: createEnforcement({ db, registry }),
    contracts: createContractViews(db, registry),
    discovery: createDiscovery({
      config,
      db,
      receipts: keys.receipt,
      registry,
      payoutOperations,
      schemaDocuments,
    }),
    hardening: createHardening({ db, config, registry }),
    health: createHealth(adapters),
  }
}
