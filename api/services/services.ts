import type { PayoutCallbacks } from '../../activities/payout/callbacks.ts'
import type { openControls } from '../../activities/payout/controls.ts'
import type {
  Context,
  ContractCommands,
  Delegations,
  DiscoveryCommands,
  Enforcement,
  HardeningCommands,
  HealthCommands,
} from '../context.ts'
import type { CommercialLayer } from './accounts/commercial-layer.ts'
import type { AccountControlsService } from './accounts/controls.ts'
import type { HandshakeService } from './agents/handshake.ts'
import type { ProfileService } from './agents/profiles.ts'
import type { RegistrationService } from './agents/registration.ts'
import type { SigningService } from './agents/signing.ts'
import type { TrustListingService } from './agents/trust-listings.ts'
import type { Ap2Inspection } from './authority/ap2-inspection.ts'
import type { MandateService } from './authority/mandates.ts'
import type { CallbackService } from './callbacks/demo-receiver.ts'
import type { ActivityService } from './commerce/activity.ts'
import type { AgentPassports } from './commerce/agent-passports.ts'
import type { CommerceProofService } from './commerce/proofs.ts'
import type { ConsoleServices } from './console/open.ts'
import type { ActivationService } from './credit/activation.ts'
import type { CheckoutService } from './credit/checkouts.ts'
import type { CreditService } from './credit/credit.ts'
import type { PaymentAuthorityService } from './credit/payment-authority.ts'
import type { PaymentService } from './credit/payments.ts'
import type { ProductLinkService } from './credit/product-links.ts'
import type { ProviderService } from './credit/provider-events.ts'
import type { QuoteService } from './credit/quotes.ts'
import type { UsageLedger } from './credit/usage-ledger.ts'
import type { WalletService } from './credit/wallets.ts'
import type { DirectoryService } from './directories/directories.ts'
import type { EvidenceAnalyses } from './evidence/analyses.ts'
import type { ReceiptCompletions } from './evidence/completions.ts'
import type { InvestorDemo } from './evidence/investor-demo.ts'
import type { ProofRelays } from './evidence/relays.ts'
import type { Regressions } from './harness/regressions.ts'
import type { HarnessTests } from './harness/tests.ts'
import type { InputService } from './inputs/uploads.ts'
import type { KeyService } from './keys/keys.ts'
import type { LogService } from './log/log.ts'
import type { OperatorService } from './operators/operators.ts'
import type { AuthorityService } from './payouts/authority.ts'
import type { PayoutService } from './payouts/payouts.ts'
import type { PilotConversations } from './pilots/conversation.ts'
import type { PilotInvitations } from './pilots/invitations.ts'
import type { PilotOffers } from './pilots/offers.ts'
import type { PilotService } from './pilots/pilots.ts'
import type { PilotRunService } from './pilots/runs.ts'
import type { ActivationPaths } from './production/activation-paths.ts'
import type { ControlledPilotService } from './production/controlled-pilots.ts'
import type { CustomerRunService } from './production/customer-runs.ts'
import type { FirstPaidRunService } from './production/first-paid-runs.ts'
import type { RuntimeRunService } from './production/runtime-runs.ts'
import type { CustomerWorkflowService } from './production/workflows.ts'
import type { WriteGate } from './production/write-gate.ts'
import type { NextStepService } from './prospects/next-steps.ts'
import type { OutreachService } from './prospects/outreach.ts'
import type { ProspectService } from './prospects/prospects.ts'
import type { ReceiptService } from './receipts/verification.ts'
import type { ReconciliationService } from './reconciliation/reconciliation.ts'
import type { ServiceResolver } from './resolver/resolver.ts'
import type { ScoutService } from './resolver/scout.ts'
import type { AuditPackService } from './reviews/audit-pack.ts'
import type { ReviewService } from './reviews/reviews.ts'
import type { ClearingService } from './runs/clearings.ts'
import type { LoopService } from './runs/loops.ts'
import type { ManifestService } from './runs/manifests.ts'
import type { ProductLoopService } from './runs/product-loops.ts'
import type { RunService } from './runs/runs.ts'
import type { SamplePackages } from './runs/sample-packages.ts'
import type { SandboxService } from './runs/sandbox.ts'
import type { RunStartService } from './runs/start.ts'
import type { ContractService } from './tasks/contracts.ts'
import type { RecoveryService } from './tasks/recoveries.ts'
import type { TaskService } from './tasks/tasks.ts'
import type { HandoffService } from './trust/handoff-packs.ts'
import type { InboxService } from './trust/inbox.ts'
import type { PassportService } from './trust/passports.ts'
import type { ScorecardService } from './trust/scorecards.ts'
import type { ExchangeService } from './work-orders/exchange.ts'
import type { WalletRunService } from './work-orders/wallet-runs.ts'
import type { WorkOrderService } from './work-orders/work-orders.ts'

/** The services that handlers call. */
export type Services = ConsoleServices & {
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
  readonly passports: PassportService
  readonly proofInbox: InboxService
  readonly scorecards: ScorecardService
  readonly handoffs: HandoffService
  readonly commerceProofs: CommerceProofService
  readonly activity: ActivityService
  readonly listings: TrustListingService
  readonly agentPassports: AgentPassports
  readonly analyses: EvidenceAnalyses
  readonly relays: ProofRelays
  readonly prospects: ProspectService
  readonly completions: ReceiptCompletions
  readonly nextSteps: NextStepService
  readonly investorDemo: InvestorDemo
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
  readonly tests: HarnessTests
  readonly regressions: Regressions
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
  readonly tasks: TaskService
  readonly taskContracts: ContractService
  readonly recoveries: RecoveryService
  readonly runs: RunService
  readonly runStarts: RunStartService
  readonly loops: LoopService
  readonly manifests: ManifestService
  readonly productLoops: ProductLoopService
  readonly samplePackages: SamplePackages
  readonly sandbox: SandboxService
  readonly activations: ActivationService
  readonly workOrders: WorkOrderService
  readonly walletRuns: WalletRunService
  readonly exchange: ExchangeService
  readonly customerWorkflows: CustomerWorkflowService
  readonly writeGate: WriteGate
  readonly firstPaidRuns: FirstPaidRunService
  readonly directories: DirectoryService
  readonly customerRuns: CustomerRunService
  readonly pilots: PilotService
  readonly pilotConversations: PilotConversations
  readonly pilotInvitations: PilotInvitations
  readonly clearings: ClearingService
  readonly activationPaths: ActivationPaths
  readonly pilotRuns: PilotRunService
  readonly pilotOffers: PilotOffers
  readonly controlledPilots: ControlledPilotService
  readonly runtimeRuns: RuntimeRunService
}
