import type { SignedEvent } from '../../activities/keys/provider-signature.ts'
import type { CallRow } from '../../activities/store/calls/calls.ts'
import type { KnownCredentials } from './agent.ts'
import type { SpokeFor } from './agent-signature.ts'
import type { VerifyAgentToken } from './agent-token.ts'
import type { Attempts } from './attempts.ts'
import type { IsNewWallet } from './new-wallets.ts'
import type { KnownOperators } from './operator.ts'
import type { FindTokens } from './status-token.ts'
import type { WalletProofDeps } from './wallet-proof.ts'

/** The dependencies of authentication. */
export type AuthDeps = {
  readonly baseUrl: string
  readonly osUrl: string
  /** Postgres' clock. */
  readonly clock: { nowSeconds(): Promise<number> }
  /** The limit of calls per address; `assertGranted` throws 429 `rate_limited`. */
  readonly limits: { address(address: string): Promise<{ assertGranted(): void }> }
  readonly wallets: WalletProofDeps
  readonly isNewWallet: IsNewWallet
  readonly operators: KnownOperators
  /** Read in the database for each call: a revocation applies at once, in every process. */
  readonly agents: KnownCredentials & {
    /** Tokens are taken only where an issuer is configured, and only over MCP. */
    readonly verifyToken?: VerifyAgentToken | undefined
    readonly findTokens: FindTokens
    readonly spokeFor: SpokeFor
    /** The call that registered a public key, while the key is valid for its agent. */
    readonly registrationBy: (
      publicJwk: Readonly<Record<string, unknown>>,
    ) => Promise<CallRow | undefined>
    /** The rails of the ids and tokens in the input of an agent's call. */
    readonly railsNamed: (
      agentId: string,
      input: Readonly<Record<string, unknown>>,
    ) => Promise<string[]>
  }
  /** Throws 401 `webhook_signature_invalid` unless a configured key of a provider signed these raw bytes. */
  readonly verifyWebhook: (signed: SignedEvent) => Promise<unknown>
  /** Failed credentials, counted and delayed over all processes. */
  readonly attempts: Attempts
}
