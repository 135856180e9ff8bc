import type { AuthorityDeps } from '../../activities/authority/deps.ts'
import type { Changes } from '../../activities/store/postgres/changes.ts'
import type { RailLookup } from '../auth/rails.ts'
import type { KeyedQueue } from '../calls/queues.ts'
import type { AnyOperation } from '../operation.ts'

/** What judges actions of agents and starts them. */
export type DelegationDeps = AuthorityDeps & {
  readonly registry: readonly AnyOperation[]
  readonly changes: Pick<Changes, 'wait'>
  readonly agents: RailLookup['agents']
  /** Tries once to start the workflow of a stored action. */
  readonly notify: (actionId: string) => Promise<void>
  readonly waitMs: number
  /** Runs the reservations under one mandate one after the other, within this process. */
  readonly queue: KeyedQueue
}
