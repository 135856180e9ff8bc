import { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { boundSets } from '#domain/core/contract-sets.ts'
import { rails } from '#domain/rails/index.ts'
import { usagesOf } from '#domain/rails/rail.ts'
import { countTrustStates } from '../../activities/store/agents/agents.ts'
import { countBadges } from '../../activities/store/listings/listings.ts'
import { countBound } from '../../activities/store/payments/challenges.ts'
import { countPilotActivations } from '../../activities/store/pilots/activations.ts'
import { countPilots } from '../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { COUNTED_MAX } from '../../activities/store/postgres/rows.ts'
import { countActivations } from '../../activities/store/production/activations.ts'
import { countRunsOf } from '../../activities/store/runs/agent-runs.ts'
import { countPaidByWallet } from '../../activities/store/work-orders/work-orders.ts'
import type { AnyOperation } from '../operation.ts'
import type { ContractCommands, ContractView } from '../shapes/documents.ts'

/** The contract views of the service, each with the live counts of its records. */
export function createContractViews(db: Tx, registry: readonly AnyOperation[]): ContractCommands {
  const at = async (path: string, live: Promise<Record<string, number>>) =>
    contractView(registry, path, await live)
  return {
    registration: () => at('/api/agents/register', countTrustStates(db)),
    binding: () => at('/api/agent-credit-checkout-binding', countBound(db)),
    walletRun: () => at('/api/wallet-bound-rail-run', countPaidByWallet(db)),
    trustListing: () => at('/api/trust-listing-path', countBadges(db)),
    activationPath: async () => {
      const live = { activations: await countActivations(db, COUNTED_MAX) }
      return contractView(registry, '/api/customer-activation-path', live)
    },
    sandbox: async () => ({
      ...(await at('/api/agent-sandbox', countRunsOf(db, { sandbox: true }))),
      rails: rails.filter((rail) => usagesOf(rail).includes('synthetic')).map(({ key }) => key),
    }),
    pilotIntake: () => at('/api/pilot-intake', countPilots(db, ['requested', 'activated'])),
    pilotRun: () => at('/api/first-pilot-run-execution', countPilots(db, ['activated', 'running'])),
    invitation: () =>
      at('/api/pilot-invitation-response-workflow', countPilots(db, ['invited', 'accepted'])),
    controlledPilot: (rail, path) => at(path, countPilotActivations(db, rail)),
    loop: () => at('/api/agent-self-serve-rail-loop', countRunsOf(db, {})),
  }
}

/** Prints the operations of a path from the registry, with the live counts of its records. */
function contractView(
  registry: readonly AnyOperation[],
  path: string,
  live: Record<string, number>,
): ContractView {
  const offered = registry.filter(({ http }) => http.path === path || http.aliases?.includes(path))
  return {
    path,
    version: 'v1',
    operations: offered.map(printed),
    policy_rules: [...policyRules],
    contract_sets: [...boundSets],
    live,
  }
}

const printed = ({
  id,
  http,
  mode,
  access,
  needs,
  price,
  input,
  output,
}: AnyOperation): Record<string, unknown> => ({
  id,
  method: http.method,
  mode: mode ?? null,
  access,
  scopes: needs?.scopes ?? [],
  price: price === null ? null : String(price),
  input_schema: z.toJSONSchema(input, { io: 'input' }),
  output_schema: z.toJSONSchema(output, { io: 'output' }),
})
