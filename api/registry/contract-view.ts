import { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { boundSets } from '#domain/core/contract-sets.ts'
import { rails } from '#domain/rails/index.ts'
import { usagesOf } from '#domain/rails/rail.ts'
import { countTrustStates } from '../../activities/store/agents/agents.ts'
import { countBadges } from '../../activities/store/agents/trust-listings.ts'
import { countBound } from '../../activities/store/payouts/challenges.ts'
import { countPilotActivations } from '../../activities/store/pilots/activations.ts'
import { countPilots } from '../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { COUNTED_MAX } from '../../activities/store/postgres/rows.ts'
import { countActivations } from '../../activities/store/production/activations.ts'
import { countRunsOf } from '../../activities/store/tasks/agent-runs.ts'
import { countPaidByWallet } from '../../activities/store/work-orders/work-orders.ts'
import type { AnyOperation } from '../operation.ts'
import type { ContractCommands, ContractView } from './documents.ts'

/** The contract views of the service, each with the live counts of its records. */
export function createContractViews(db: Tx, registry: readonly AnyOperation[]): ContractCommands {
  return {
    registration: async () =>
      contractView(registry, '/api/agents/register', await countTrustStates(db)),
    binding: async () =>
      contractView(registry, '/api/agent-credit-checkout-binding', await countBound(db)),
    walletRun: async () =>
      contractView(registry, '/api/wallet-bound-rail-run', await countPaidByWallet(db)),
    trustListing: async () =>
      contractView(registry, '/api/trust-listing-path', await countBadges(db)),
    activationPath: async () =>
      contractView(registry, '/api/customer-activation-path', {
        activations: await countActivations(db, COUNTED_MAX),
      }),
    sandbox: async () => ({
      ...contractView(registry, '/api/agent-sandbox', await countRunsOf(db, { sandbox: true })),
      rails: rails.filter((rail) => usagesOf(rail).includes('synthetic')).map(({ key }) => key),
    }),
    pilotIntake: async () =>
      contractView(
        registry,
        '/api/pilot-intake',
        await countPilots(db, ['requested', 'activated']),
      ),
    pilotRun: async () =>
      contractView(
        registry,
        '/api/first-pilot-run-execution',
        await countPilots(db, ['activated', 'running']),
      ),
    invitation: async () =>
      contractView(
        registry,
        '/api/pilot-invitation-response-workflow',
        await countPilots(db, ['invited', 'accepted']),
      ),
    controlledPilot: async (rail, path) =>
      contractView(registry, path, await countPilotActivations(db, rail)),
    loop: async () =>
      contractView(registry, '/api/agent-self-serve-rail-loop', await countRunsOf(db, {})),
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
