import type { Adapters } from '../adapters.ts'
import { openAccounts } from './accounts/open.ts'
import { openAgents } from './agents/open.ts'
import { openAuthority } from './authority/open.ts'
import type { OperationFacts } from './authority/write-gate.ts'
import { openCallbacks } from './callbacks/open.ts'
import { openCommerce } from './commerce/open.ts'
import { openConsole } from './console/open.ts'
import { openCredit } from './credit/open.ts'
import type { DirectoryDeps } from './directories/directories.ts'
import { openDirectories } from './directories/open.ts'
import { openEvidence } from './evidence/open.ts'
import { openHarness } from './harness/open.ts'
import { openInputs } from './inputs/open.ts'
import { openKeys } from './keys/open.ts'
import { openListings } from './listings/open.ts'
import { openLog } from './log/open.ts'
import { openOperators } from './operators/open.ts'
import { openPayouts } from './payouts/open.ts'
import { openPilots } from './pilots/open.ts'
import { openProduction } from './production/open.ts'
import { openProspects } from './prospects/open.ts'
import { openReceipts } from './receipts/open.ts'
import { openReconciliation } from './reconciliation/open.ts'
import { openRecovery } from './recovery/open.ts'
import { openReviews } from './reviews/open.ts'
import { openRuns } from './runs/open.ts'
import { openTasks } from './tasks/open.ts'
import { openTrust } from './trust/open.ts'
import { openWorkOrders } from './work-orders/open.ts'

/** What families read of the registry of operations. */
type Registry = {
  operations: readonly OperationFacts[]
  /** The document for directories. */
  document: DirectoryDeps['document']
}

/** The services of every family; those that others use are opened first. */
export function openServices(adapters: Adapters, { operations, document }: Registry) {
  const receipts = openReceipts(adapters)
  const inputs = openInputs(adapters)
  const authority = openAuthority(adapters, operations)
  const credit = openCredit(adapters, { ...inputs, ...receipts })
  const paid = { ...authority, ...credit, ...inputs, ...receipts }
  const commerce = openCommerce(adapters, receipts)
  const runs = openRuns(adapters, paid)
  const pilots = openPilots(adapters, paid)
  return {
    ...paid,
    ...commerce,
    ...runs,
    ...pilots,
    ...openLog(adapters),
    ...openOperators(adapters),
    ...openReconciliation(adapters),
    ...openKeys(adapters),
    ...openPayouts(adapters),
    ...openCallbacks(adapters, receipts),
    ...openTasks(adapters, paid),
    ...openWorkOrders(adapters, paid),
    ...openProduction(adapters, paid),
    ...openProspects(adapters),
    ...openAccounts(adapters, inputs),
    ...openAgents(adapters),
    ...openReviews(adapters, { ...pilots, ...runs }),
    ...openListings(adapters, paid),
    ...openEvidence(adapters, { ...commerce, ...receipts }),
    ...openRecovery(adapters),
    ...openConsole(adapters),
    ...openTrust(adapters, receipts),
    ...openHarness(adapters),
    ...openDirectories(adapters, document),
  }
}
