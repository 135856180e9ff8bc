import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import type { Adapters } from '../../adapters.ts'
import type { ReceiptServices } from '../receipts/open.ts'
import { ActivityService } from './activity.ts'
import { AgentPassports } from './agent-passports.ts'
import { CommerceProofService } from './proofs.ts'

export type CommerceServices = ReturnType<typeof openCommerce>

/** Commerce proofs, the passports of agents that rest on them, and the activity feed. */
export function openCommerce(
  adapters: MoneyDeps & Pick<Adapters, 'baseUrl' | 'packages' | 'keys'>,
  { receipts }: Pick<ReceiptServices, 'receipts'>,
) {
  const deps = { ...adapters, receipts }
  return {
    commerceProofs: new CommerceProofService(deps),
    activity: new ActivityService(deps),
    agentPassports: new AgentPassports(deps),
  }
}
