import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../activities/config.ts'
import type { SignedEvent } from '../activities/money/provider-desk.ts'
import type { Slots } from '../activities/slots.ts'
import type { CallRow } from '../activities/store/calls.ts'
import type { Changes } from '../activities/store/changes.ts'
import type { Database } from '../activities/store/schema.ts'
import type { Offers } from '../activities/x402/offers.ts'
import type { FindCredential } from './auth/agent.ts'
import type { SpokeFor } from './auth/agent-signature.ts'
import type { Attempts } from './auth/attempts.ts'
import type { KnownOperators } from './auth/operator.ts'
import type { FindTokens } from './auth/status-token.ts'
import type { WalletProofDeps } from './auth/wallet-proof.ts'
import type { Context } from './context.ts'
import type { Turnstile } from './pay/turnstile.ts'
import type { Quotas } from './quotas.ts'

/** One call of a wallet or a credential, if it was granted. `assertGranted` uses it up; unused, as by a repeat of a call, it can be put back. */
export type CallerTicket = { readonly granted: boolean; assertGranted(): void; putBack(): void }

/** Counted in Postgres, so that the limits hold over processes; a ticket that is not granted throws 429 `rate_limited`. */
export type RateLimits = {
  address(address: string, perMinute?: number): Promise<CallerTicket>
  wallet(caller: string): Promise<CallerTicket>
  agent(credentialId: string): Promise<CallerTicket>
  nobody(address: string, of: { reads: boolean }): Promise<CallerTicket>
  /** Not granted when this address, or all together, had enough free calls today; the call can still be paid for. */
  freeGrant(address: string): Promise<{ granted: boolean; putBack(): void }>
}

/** What the one road needs beside the operation and the request. */
export type RoadDeps = {
  readonly baseUrl: string
  readonly osUrl: string
  readonly db: Kysely<Database>
  readonly changes: Changes
  readonly log: Logger
  /** Postgres' clock. */
  readonly clock: { nowSeconds(): Promise<number> }
  readonly limits: RateLimits
  readonly quotas: Quotas
  /** What an address may have under way at once before its callers are known. */
  readonly unknownCalls: Slots
  readonly wallets: WalletProofDeps
  readonly operators: KnownOperators
  /** Read in the database for each call: what is revoked holds at once, in every process. */
  readonly agents: {
    readonly findCredential: FindCredential
    readonly findTokens: FindTokens
    readonly spokeFor: SpokeFor
    /** The call that registered a public key which still speaks for its agent. */
    readonly registrationBy: (publicJwk: Readonly<Record<string, unknown>>) => Promise<CallRow | undefined>
    /** Whether an agent is trusted and no sandbox. */
    readonly isTrusted: (agentId: string) => Promise<boolean>
    /** The rails of what the input of an agent's call names by ids and tokens. */
    readonly railsNamed: (agentId: string, input: Readonly<Record<string, unknown>>) => Promise<string[]>
  }
  /** Throws 401 `webhook_signature_invalid` unless a configured key of a provider signed these raw bytes. */
  readonly verifyWebhook: (signed: SignedEvent) => Promise<unknown>
  /** Failed credentials, counted and slowed over all processes. */
  readonly attempts: Attempts
  /** One grant of a caller at a time, within this process. */
  readonly inTurn: Turnstile
  readonly offers: Offers
  /** Starts or joins the settlement workflow of a payment; should that fail, a worker's sweep does. */
  readonly tellPayment: (paymentId: string) => Promise<void>
  readonly chainHead: () => Promise<bigint>
  readonly context: (call: Pick<Context, 'caller' | 'callId' | 'leads' | 'requestId' | 'sent'>) => Context
  readonly config: Pick<Config, 'CALL_LEASE_MS' | 'UPDATE_WAIT_MS' | 'SETTLE_WAIT_MS'>
}
