import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../../activities/config/config.ts'
import type { Mpp } from '../../activities/payments/mpp.ts'
import type { Offers } from '../../activities/payments/offers.ts'
import type { Slots } from '../../activities/runs/isolation/slots.ts'
import type { CallRow } from '../../activities/store/calls/calls.ts'
import type { Changes } from '../../activities/store/postgres/changes.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import type { AuthDeps } from '../auth/methods.ts'
import type { RailLookup } from '../auth/rails.ts'
import type { Services } from '../context.ts'
import type { Quotas, RateLimits } from './limits.ts'
import type { BeginAttempt, KeyedQueue } from './queues.ts'

/** The dependencies of the pipeline. */
export type PipelineDeps = Omit<AuthDeps, 'limits' | 'agents'> & {
  readonly db: Kysely<Database>
  readonly changes: Changes
  readonly log: Logger
  readonly limits: RateLimits
  readonly quotas: Quotas
  /** The calls of one address that may run at once before their callers are known. */
  readonly unknownCalls: Slots
  readonly agents: (AuthDeps & RailLookup)['agents'] & {
    /** The call that registered a public key, while the key is valid for its agent. */
    readonly registrationBy: (
      publicJwk: Readonly<Record<string, unknown>>,
    ) => Promise<CallRow | undefined>
    /** Whether an agent is trusted and no sandbox agent. */
    readonly isTrusted: (agentId: string) => Promise<boolean>
  }
  /** Runs the grants of one caller, and the claims of one call, one after the other within this process. */
  readonly callerQueue: KeyedQueue
  /** The attempts of one call that this process handles at once. */
  readonly beginAttempt: BeginAttempt
  readonly offers: Offers
  readonly mpp: Mpp
  /** Starts or joins the settlement workflow of a payment; if that fails, a worker's sweep does it. */
  readonly notifyPayment: (paymentId: string) => Promise<void>
  readonly chainHead: () => Promise<bigint>
  readonly services: Services
  readonly config: Pick<Config, 'CALL_LEASE_MS' | 'UPDATE_WAIT_MS' | 'SETTLE_WAIT_MS'>
}
