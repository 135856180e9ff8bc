import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../../activities/config/config.ts'
import type { Mpp } from '../../activities/payments/mpp.ts'
import type { Offers } from '../../activities/payments/offers.ts'
import type { Slots } from '../../activities/runs/isolation/slots.ts'
import type { Changes } from '../../activities/store/postgres/changes.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import type { AuthDeps } from '../auth/deps.ts'
import type { Services } from '../context.ts'
import type { BeginAttempt } from './attempts-at-once.ts'
import type { KeyedQueue } from './keyed-queue.ts'
import type { Quotas } from './quotas.ts'
import type { CallerTicket, FreeTicket } from './tickets.ts'

/** Counted in Postgres, so that the limits hold over processes; a ticket that is not granted throws 429 `rate_limited`. */
export type RateLimits = {
  address(address: string, perMinute?: number): Promise<CallerTicket>
  wallet(caller: string): Promise<CallerTicket>
  /** Calls of all wallets of an address that never paid. */
  newWallets(address: string): Promise<CallerTicket>
  agent(credentialId: string): Promise<CallerTicket>
  publicCaller(address: string, of: 'documents' | 'reads' | 'writes'): Promise<CallerTicket>
  /** Not granted when this address, or all together, had enough free calls today; the call can still be paid for. */
  freeGrant(address: string): Promise<FreeTicket>
}

/** The dependencies of the pipeline. */
export type PipelineDeps = Omit<AuthDeps, 'limits' | 'agents'> & {
  readonly db: Kysely<Database>
  readonly changes: Changes
  readonly log: Logger
  readonly limits: RateLimits
  readonly quotas: Quotas
  /** The calls of one address that may run at once before their callers are known. */
  readonly unknownCalls: Slots
  readonly agents: AuthDeps['agents'] & {
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
