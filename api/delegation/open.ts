import type { AuthorityDeps } from '../../activities/authority/deps.ts'
import type { Changes } from '../../activities/store/postgres/changes.ts'
import { createKeyedQueue } from '../calls/keyed-queue.ts'
import type { AnyOperation } from '../operation.ts'
import { railsNamed } from '../services/agents/rails.ts'
import { MandateService } from '../services/authority/mandates.ts'
import { createDelegations } from './delegations.ts'

type Settings = AuthorityDeps & {
  changes: Changes
  registry: readonly AnyOperation[]
  notify: (actionId: string) => Promise<void>
  waitMs: number
}

/** The services of delegated authority. */
export function openAuthority(settings: Settings) {
  const { db } = settings
  return {
    mandates: new MandateService(settings),
    delegations: createDelegations({
      ...settings,
      agents: { railsNamed: (agentId, input) => railsNamed(db, agentId, input) },
      queue: createKeyedQueue(),
    }),
  }
}
