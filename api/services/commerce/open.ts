import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import type { PackageThreads } from '../../../activities/runs/package-threads.ts'
import { ReceiptService } from '../receipts/verification.ts'
import { ActivityService } from './activity.ts'
import { AgentPassports } from './agent-passports.ts'
import { CommerceProofService } from './proofs.ts'

type Adapters = MoneyDeps & {
  readonly baseUrl: string
  readonly packages: PackageThreads
  readonly keys: Pick<KeyRings, 'receipt'>
}

/** The services behind commerce proofs and the activity feed. */
export function openCommerceServices(adapters: Adapters) {
  const deps = { ...adapters, receipts: new ReceiptService(adapters.db, adapters.issuer) }
  return {
    commerceProofs: new CommerceProofService(deps),
    activity: new ActivityService(deps),
    agentPassports: new AgentPassports(deps),
  }
}

export type CommerceServices = ReturnType<typeof openCommerceServices>
