import type { z } from 'zod'
import type { Denial } from '#domain/agents/credential.ts'
import type { TokenPrefix } from '#domain/agents/status-token.ts'
import type { SignedAction, SignedGrant } from '#domain/authority/artifacts.ts'
import type { RuleResult } from '#domain/authority/evaluate.ts'
import type { boundSets } from '#domain/core/contract-sets.ts'
import type { Refusal } from '#domain/core/errors.ts'
import type { JudgedControl } from '#domain/production/hardening.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { credentialView } from '../activities/agent/views.ts'
import type { publishedKey } from '../activities/keys/published-key.ts'
import type { ReceiptView } from '../activities/keys/receipt-view.ts'
import type { CarriedPayment } from '../activities/payment/payment-header.ts'
import type { CredentialOfAgent } from '../activities/store/agents/agent-credentials.ts'
import type { McpDescriptor } from './mcp/shapes.ts'
import type { ToolName } from './mcp/tool-names.ts'
import type { AgentCard } from './registry/agent-card-shape.ts'
import type { AgentTools } from './registry/agent-tools-shape.ts'
import type { CredentialPolicy } from './registry/credential-policy-shape.ts'
import type { IdentityRegistration } from './registry/identity-registration-shape.ts'
import type { ProtocolBindingView } from './registry/protocol-binding-shape.ts'
import type { Quickstart, StartHere } from './registry/start-here-shape.ts'
import type { SignedEvent } from './services/credit/provider-events.ts'
import type { Services } from './services/services.ts'

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
  | { readonly kind: 'wallet'; readonly id: string; readonly wallet: `0x${string}` }
  | {
      readonly kind: 'agent'
      readonly id: string
      readonly agentId: string
      readonly credential: CredentialOfAgent
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
  /** The policy, with the number of checks so far by their result. */
  policy(): Promise<z.output<typeof CredentialPolicy>>
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

export type SchemaEntry = { name: string; version: string; url: string; sha256: string }
/** Prints a schema document; by the name of its file. */
export type SchemaDocuments = Readonly<Record<string, () => Record<string, unknown>>>
export type SchemaDocument = { $schema: string; $id: string } & Record<string, unknown>
export type PublishedSchemas = {
  index(): SchemaEntry[]
  read(name: string): SchemaDocument | undefined
}

/** The operations of a path, printed from the registry, with the live counts of its records. */
export type ContractView = {
  path: string
  version: string
  operations: Record<string, unknown>[]
  policy_rules: string[]
  contract_sets: (typeof boundSets)[number][]
  live: Record<string, number>
}

export type OpenApiDocument = { openapi: string; info: unknown; paths: unknown }
/** The key of the authority; its other members are for readers. */
export type AuthorityKey = {
  alg: string
  contexts: string[]
  version: number
  key_id: string | null
}
/** The issuer document; its other members are for readers. */
export type TrustContract = {
  service_id: 'service-trust-v1'
  issuer: string
  alg: string
  key_id: string | null
  payout: Record<string, unknown>
}
/** Documents that print the registry, the keys and the configuration. */
export type DiscoveryCommands = {
  openapi(): OpenApiDocument
  jwks(): Promise<{ keys: ReturnType<typeof publishedKey>[] }>
  authorityKey(): Promise<AuthorityKey>
  trustContract(): Promise<TrustContract>
  mcp(): z.output<typeof McpDescriptor>
  bindings(): ProtocolBindingView[]
  agentCard(): Promise<z.output<typeof AgentCard>>
  identityRegistration(): z.output<typeof IdentityRegistration>
  agentTools(): z.output<typeof AgentTools>
  startHere(rail: RailKey): z.output<typeof StartHere>
  quickstart(rail: RailKey): z.output<typeof Quickstart>
  quickstartOfAgent(asked: {
    rail: RailKey
    input?: Record<string, unknown> | undefined
  }): z.output<typeof Quickstart>['calls']
  readonly schemas: PublishedSchemas
}
export type HardeningCommands = {
  read(): Promise<{ controls: (JudgedControl & { measured_at: string })[] }>
}
export type HealthCommands = {
  ready(): Promise<{ ok: boolean; checks: Record<string, { ok: boolean; detail: string }> }>
}

/** The contract views, one for each path that has one. */
export type ContractCommands = Record<
  | 'registration'
  | 'binding'
  | 'loop'
  | 'walletRun'
  | 'pilotIntake'
  | 'invitation'
  | 'trustListing'
  | 'activationPath'
  | 'pilotRun',
  () => Promise<ContractView>
> & {
  sandbox(): Promise<ContractView & { rails: RailKey[] }>
  controlledPilot(rail: RailKey, path: string): Promise<ContractView>
}

/** An action as a caller asks about it, and the artifacts that are presented with it. */
export type ActionAsked = {
  operation_id: string
  input: Record<string, unknown>
  spend_usd?: number | undefined
  idempotency_key: string
}
export type AuthorityAsked = {
  signed_mandate: Record<string, unknown>
  signed_action_grant?: Record<string, unknown> | undefined
  action: ActionAsked
}
export type GrantAsked = Omit<AuthorityAsked, 'signed_action_grant'> & {
  action: ActionAsked & { expires_in_seconds?: number | undefined }
}
type Remaining = { usd: number; actions: number }
export type DecisionView = {
  decision_id: string
  decision: 'allow' | 'deny'
  reasons: RuleResult[]
  would_spend_usd: number | null
  remaining: Remaining | null
  grant_required: boolean
  receipt: ReceiptView
}
export type GrantView = {
  signed_action_grant: SignedGrant
  grant_id: string
  expires_at: string
  receipt: ReceiptView
}
export type ExecutedView = {
  delegated_action: {
    action_id: string
    operation_id: string
    status: number
    result: Record<string, unknown>
    signed_action: SignedAction
  }
  grant_id: string
  mandate_remaining: Remaining
  receipt: ReceiptView
}
/** What agents may do under mandates and grants. */
export type Delegations = {
  /** The ids of the operations that can be delegated. */
  readonly operations: readonly string[]
  evaluate(asked: AuthorityAsked, context: Context): Promise<DecisionView>
  issueGrant(asked: GrantAsked, context: Context): Promise<GrantView>
  execute(
    asked: AuthorityAsked & { signed_action_grant: Record<string, unknown> },
    context: Context,
  ): Promise<ExecutedView>
}

/** What a handler knows of its call. */
type CallContext = {
  readonly caller: Caller
  /** The granted call that this run works for; empty for public operations. */
  readonly callId: string
  /** Whether this attempt leads its call: no other attempt has begun the effect. */
  readonly leads: boolean
  readonly requestId: string
  /** The request as it was sent, for signatures and streams. */
  readonly sent: Pick<CallRequest, 'headers' | 'stream' | 'isInsider' | 'tool'>
  /** The payment of the request by x402 or MPP; throws 402 `payment_invalid` for one in another form. */
  readonly carriedPayment: () => CarriedPayment | undefined
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
