import type { AuthorityDeps } from '../../activities/authority/deps.ts'
import type { Config } from '../../activities/config/config.ts'
import type { Changes } from '../../activities/store/postgres/changes.ts'
import { notifyDelegation } from '../../temporal/delegations.ts'
import { railsNamed } from '../auth/rail-fields.ts'
import { createKeyedQueue } from '../calls/keyed-queue.ts'
import type { AnyOperation } from '../operation.ts'
import { MandateService } from '../services/authority/mandates.ts'
import { createDelegations } from './delegations.ts'

type Adapters = {
  config: Pick<Config, 'BASE_URL' | 'EXECUTE_WAIT_MS'>
  keys: AuthorityDeps['keys']
  receiptIssuer: Omit<AuthorityDeps, 'keys' | 'origin'>
  client: Parameters<typeof notifyDelegation>[0]
  changes: Changes
}

/** The services of delegated authority, over the operations of the registry. */
export function openAuthority(
  { config, keys, receiptIssuer, client, changes }: Adapters,
  registry: readonly AnyOperation[],
) {
  const { db } = receiptIssuer
  const deps = { ...receiptIssuer, keys, origin: config.BASE_URL }
  return {
    mandates: new MandateService(deps),
    delegations: createDelegations({
      ...deps,
      changes,
      registry,
      agents: { railsNamed: (agentId, input) => railsNamed(db, agentId, input) },
      notify: (actionId) => notifyDelegation(client, actionId),
      waitMs: config.EXECUTE_WAIT_MS,
      queue: createKeyedQueue(),
    }),
  }
}
