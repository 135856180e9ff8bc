import type { z } from 'zod'
import type { Denial } from '#domain/agents/credential.ts'
import type { TokenPrefix } from '#domain/agents/status-token.ts'
import type { Refusal } from '#domain/core/errors.ts'
import type { credentialView } from '../activities/agents/views.ts'
import type { SignedEvent } from '../activities/keys/provider-signature.ts'
import type { CarriedPayment } from '../activities/payments/payment-header.ts'
import type { CredentialOfAgent } from '../activities/store/agents/agent-credentials.ts'
import type { openServices } from './services/open.ts'
import type { ServiceResolver } from './services/resolver/resolver.ts'
import type { ScoutService } from './services/resolver/scout.ts'
import type { CredentialPolicy } from './shapes/credential-policy.ts'
import type { Delegations } from './shapes/delegations.ts'
import type {
  ContractCommands,
  DiscoveryCommands,
  HardeningCommands,
  HealthCommands,
} from './shapes/documents.ts'
import type { ToolName } from './tool-names.ts'

export type Caller =
  | {
      readonly kind: 'public'
      readonly id: string
      readonly address: string
      /** The access key of a caller that needs none. */
      readonly credential?: CredentialOfAgent
      /** What the operation examines. */
      readonly presented?: Presented
    }
  | {
      readonly kind: 'wallet'
      readonly id: string
      readonly wallet: `0x${string}`
      /** It never paid for a call, so that its calls count for its address too. */
      readonly isNew: boolean
    }
  | {
      readonly kind: 'agent'
      readonly id: string
      readonly agentId: string
      readonly credential: CredentialOfAgent
      /** Why the key does not cover the call, where its operation judges that. */
      readonly denied?: Refusal
    }
  | {
      readonly kind: 'operator'
      readonly id: string
      readonly operatorId: string
      readonly name: string
      /** What the call is about, where its path names that. */
      readonly subject?: TokenSubject
    }
  /** The sender of a webhook; `authorize` verifies the signature first. */
  | { readonly kind: 'provider'; readonly id: string; readonly signed: SignedEvent }
  | ({ readonly kind: 'status'; readonly id: string; readonly tokenSha256: string } & TokenSubject)

/** The subject of a status token, and its agent. */
export type TokenSubject = {
  readonly prefix: TokenPrefix
  readonly subjectId: string
  readonly agentId: string
  /** Its holder has no key to sign with, so that the token is enough to act. */
  readonly keyless?: boolean
}
/** A credential that a public operation judges, or why it is none. */
export type Presented = { readonly credential: CredentialOfAgent } | { readonly refusal: Refusal }

export type EnforcementInput = {
  operation_id: string
  rail?: string | undefined
  amount_usd?: number | undefined
}
/** The check that every call makes of a credential, without the operation. */
export type Enforcement = {
  /** The policy, with the number of checks so far by their result, and one of them by its audit event. */
  policy(auditEventId?: string): Promise<z.output<typeof CredentialPolicy>>
  /** Checks and records it as an audit event of this call; throws 404 for an unknown operation. */
  check(
    presented: Presented | undefined,
    input: EnforcementInput,
    callId: string,
  ): Promise<{
    decision: 'allow' | 'deny'
    reasons: Denial[]
    credential: ReturnType<typeof credentialView> | null
    audit_event_id: string
  }>
}

/** What a handler knows of its call. */
type CallContext = {
  readonly caller: Caller
  /** The granted call that this run works for; empty for public operations. */
  readonly callId: string
  /** Whether this attempt leads its call: no other attempt has begun the effect. */
  readonly leads: boolean
  readonly requestId: string
  /** Whose processor time the work of a caller without trust takes. */
  readonly network: string
  /** The request as it was sent, for signatures and streams. */
  readonly sent: Pick<CallRequest, 'headers' | 'stream' | 'isInsider' | 'tool'>
  /** The payment of the request by x402 or MPP; throws 402 `payment_invalid` for one in another form. */
  readonly carriedPayment: () => CarriedPayment | undefined
}

/** The services that handlers call: those of every family, and those that are made from the registry of the operations. */
export type Services = ReturnType<typeof openServices> & {
  readonly delegations: Delegations<Context>
  readonly discovery: DiscoveryCommands
  readonly health: HealthCommands
  readonly hardening: HardeningCommands
  readonly resolver: ServiceResolver<Context>
  readonly scout: ScoutService
  readonly enforcement: Enforcement
  readonly contracts: ContractCommands
}

/** Everything that a handler may use. */
export type Context = CallContext & Services

/**
 * A body as a stream. Reading it throws 413 when it exceeds the operation's limit, and 400 when it breaks off or stalls.
 */
export type BodyStream = { readonly mediaType: string; readonly bytes: AsyncIterable<Uint8Array> }

/** A request as the pipeline takes it. Header names are lowercase; a doubled header is an array. */
export type CallRequest = {
  readonly body: Buffer | null
  /** Instead of `body`, for an operation that takes a stream. */
  readonly stream?: BodyStream
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly method: string
  readonly path: string
  /** The values of the names in braces in the operation's path. */
  readonly params: Readonly<Record<string, string>>
  readonly address: string
  readonly requestId: string
  /** The tool that the call came by; undefined for every other call. */
  readonly tool?: ToolName
  /** The trace that the call belongs to, of its `traceparent` or its own. */
  readonly traceId: string
  /** Whether the call is from this machine or has the credential of an operator. */
  readonly isInsider?: () => Promise<boolean>
  /** The call came over MCP, where agents may also present the access token of an issuer. */
  readonly overMcp?: true
}

export type CallAnswer = {
  readonly status: number
  readonly headers: Record<string, string | readonly string[]>
  readonly body: unknown
}
