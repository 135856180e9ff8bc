import type { z } from 'zod'
import type { Denial } from '#domain/agents/credential.ts'
import type { TokenPrefix } from '#domain/agents/status-token.ts'
import type { SignedAction, SignedGrant } from '#domain/authority/artifacts.ts'
import type { RuleResult } from '#domain/authority/evaluate.ts'
import type { Refusal } from '#domain/core/errors.ts'
import type { credentialView } from '../activities/agents/views.ts'
import type { SignedEvent } from '../activities/keys/provider-signature.ts'
import type { ReceiptView } from '../activities/keys/receipt-view.ts'
import type { CarriedPayment } from '../activities/payments/payment-header.ts'
import type { PayoutCallbacks } from '../activities/payouts/callbacks.ts'
import type { openControls } from '../activities/payouts/controls.ts'
import type { CredentialOfAgent } from '../activities/store/agents/agent-credentials.ts'
import type { CommercialLayer } from './services/accounts/commercial-layer.ts'
import type { AccountControlsService } from './services/accounts/controls.ts'
import type { HandshakeService } from './services/agents/handshake.ts'
import type { ProfileService } from './services/agents/profiles.ts'
import type { RegistrationService } from './services/agents/registration.ts'
import type { SigningService } from './services/agents/signing.ts'
import type { Ap2Inspection } from './services/authority/ap2-inspection.ts'
import type { MandateService } from './services/authority/mandates.ts'
import type { WriteGate } from './services/authority/write-gate.ts'
import type { CallbackService } from './services/callbacks/demo-receiver.ts'
import type { CheckoutService } from './services/checkouts.ts'
import type { CommerceServices } from './services/commerce/open.ts'
import type { ConsoleServices } from './services/console/open.ts'
import type { CreditService } from './services/credit/credit.ts'
import type { PaymentAuthorityService } from './services/credit/payment-authority.ts'
import type { PaymentService } from './services/credit/payments.ts'
import type { ProductLinkService } from './services/credit/product-links.ts'
import type { ProviderService } from './services/credit/provider-events.ts'
import type { QuoteService } from './services/credit/quotes.ts'
import type { UsageLedger } from './services/credit/usage-ledger.ts'
import type { WalletService } from './services/credit/wallets.ts'
import type { DirectoryService } from './services/directories/directories.ts'
import type { EvidenceServices } from './services/evidence/open.ts'
import type { HarnessServices } from './services/harness/open.ts'
import type { InputService } from './services/inputs/uploads.ts'
import type { KeyService } from './services/keys/keys.ts'
import type { TrustListingService } from './services/listings/listings.ts'
import type { LogService } from './services/log/log.ts'
import type { TaskServices } from './services/open-runs.ts'
import type { OperatorService } from './services/operators/operators.ts'
import type { AuthorityService } from './services/payouts/authority.ts'
import type { PayoutService } from './services/payouts/payouts.ts'
import type { NextStepService } from './services/pilots/next-steps.ts'
import type { PilotOffers } from './services/pilots/offers.ts'
import type { PilotServices } from './services/pilots/open.ts'
import type { ActivationService } from './services/production/provider-activation.ts'
import type { OutreachService } from './services/prospects/outreach.ts'
import type { ProspectService } from './services/prospects/prospects.ts'
import type { ReceiptService } from './services/receipts/verification.ts'
import type { ReconciliationService } from './services/reconciliation/reconciliation.ts'
import type { ServiceResolver } from './services/resolver/resolver.ts'
import type { ScoutService } from './services/resolver/scout.ts'
import type { AuditPackService } from './services/reviews/audit-pack.ts'
import type { ReviewService } from './services/reviews/reviews.ts'
import type { RuntimeRunService } from './services/runtime-runs.ts'
import type { TrustServices } from './services/trust/open.ts'
import type { CredentialPolicy } from './shapes/credential-policy.ts'
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
  /** Whose processor time the work of a caller without trust takes. */
  readonly network: string
  /** The request as it was sent, for signatures and streams. */
  readonly sent: Pick<CallRequest, 'headers' | 'stream' | 'isInsider' | 'tool'>
  /** The payment of the request by x402 or MPP; throws 402 `payment_invalid` for one in another form. */
  readonly carriedPayment: () => CarriedPayment | undefined
}

/** The services that handlers call. */
export type Services = ConsoleServices &
  CommerceServices &
  EvidenceServices &
  HarnessServices &
  PilotServices &
  TaskServices &
  TrustServices & {
    readonly payouts: PayoutService
    readonly authority: AuthorityService
    readonly mandates: MandateService
    readonly ap2: Ap2Inspection
    readonly delegations: Delegations
    readonly controls: ReturnType<typeof openControls>
    readonly reconciliation: ReconciliationService
    readonly keys: KeyService
    readonly operators: OperatorService
    readonly receipts: ReceiptService
    readonly log: LogService
    readonly listings: TrustListingService
    readonly prospects: ProspectService
    readonly nextSteps: NextStepService
    readonly outreach: OutreachService
    readonly discovery: DiscoveryCommands
    readonly health: HealthCommands
    readonly hardening: HardeningCommands
    readonly registrations: RegistrationService
    readonly profiles: ProfileService
    readonly handshakes: HandshakeService
    readonly signing: SigningService
    readonly resolver: ServiceResolver<Context>
    readonly scout: ScoutService
    readonly reviews: ReviewService
    readonly auditPacks: AuditPackService
    readonly enforcement: Enforcement
    readonly contracts: ContractCommands
    readonly quotes: QuoteService
    readonly payments: PaymentService
    readonly credit: CreditService
    readonly providers: ProviderService
    readonly wallets: WalletService
    readonly commercialLayer: CommercialLayer
    readonly accountControls: AccountControlsService
    readonly authorities: PaymentAuthorityService
    readonly usage: UsageLedger
    readonly checkouts: CheckoutService
    readonly productLinks: ProductLinkService
    readonly inputs: InputService
    readonly callbacks: CallbackService
    readonly payoutCallbacks: PayoutCallbacks
    readonly activations: ActivationService
    readonly writeGate: WriteGate
    readonly directories: DirectoryService
    readonly pilotOffers: PilotOffers
    readonly runtimeRuns: RuntimeRunService
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
