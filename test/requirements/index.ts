import { accountRequirements } from './accounts.ts'
import { admissionRequirements } from './admission.ts'
import { agentRequirements } from './agents.ts'
import { ap2Requirements } from './ap2.ts'
import { attackRequirements } from './attacks.ts'
import { authorityRequirements } from './authority.ts'
import { callbackRequirements } from './callbacks.ts'
import { callerRequirements } from './callers.ts'
import { callPipelineRequirements } from './calls.ts'
import { commerceRequirements } from './commerce.ts'
import { conformanceRequirements } from './conformance.ts'
import { consoleRequirements } from './console.ts'
import { discoveryRequirements } from './discovery.ts'
import { documentRequirements } from './docs.ts'
import { durabilityRequirements } from './durability.ts'
import { evidenceRequirements } from './evidence.ts'
import { exchangeRequirements } from './exchange.ts'
import { feeRequirements } from './fees.ts'
import { firstUseRequirements } from './first-use.ts'
import { harnessRequirements } from './harness.ts'
import { inputRequirements } from './inputs.ts'
import { isolationRequirements } from './isolation.ts'
import { keyStandingRequirements } from './key-standing.ts'
import { listingRequirements } from './listings.ts'
import { logRequirements } from './log.ts'
import { logWitnessRequirements } from './log-witness.ts'
import { loopRequirements } from './loops.ts'
import { mcpRequirements } from './mcp.ts'
import { modelRequirements } from './model.ts'
import { moneyRequirements } from './money.ts'
import { mppRequirements } from './mpp.ts'
import { nodeRequirements } from './nodes.ts'
import { operatorRequirements } from './operators.ts'
import { packageRequirements } from './package.ts'
import { payoutRequirements } from './payouts.ts'
import { pilotRequirements } from './pilots.ts'
import { productionRequirements } from './production.ts'
import { prospectRequirements } from './prospects.ts'
import { railRequirements } from './rail.ts'
import { receiptRequirements } from './receipts.ts'
import { reconciliationRequirements } from './reconciliation.ts'
import { recoveryRequirements } from './recovery.ts'
import { returnedMoneyRequirements } from './returned-money.ts'
import { reviewRequirements } from './reviews.ts'
import { serviceRequirements } from './services.ts'
import { signerRequirements } from './signer.ts'
import { stackRequirements } from './stack.ts'
import { stepRequirements } from './steps.ts'
import { stolenRequirements } from './stolen.ts'
import { taskRequirements } from './task.ts'
import { traceRequirements } from './traces.ts'
import { trustOperationRequirements } from './trust-operations.ts'
import { verificationRequirements } from './verification.ts'
import { viewsRequirements } from './views.ts'
import { walletRequirements } from './wallet.ts'
import { walletProofRequirements } from './wallet-proofs.ts'
import { x402Requirements } from './x402.ts'

/** One demand on the product: where it stands, and the behavior that a test can prove. `deferred` says why it has no test yet. */
export type Requirement = {
  readonly source: string
  readonly behavior: string
  readonly deferred?: string
}

/**
 * What the payout rail owes, as data: id → demand. A test cites ids with `verifies('…', …)`; `coverage.test.ts` fails on an id
 * that no test cites. `source` names the document and its section; `decision` marks what no document shows.
 */
export const requirements = {
  ...payoutRequirements,
  ...moneyRequirements,
  ...callPipelineRequirements,
  ...walletProofRequirements,
  ...x402Requirements,
  ...receiptRequirements,
  ...stackRequirements,
  ...documentRequirements,
  ...durabilityRequirements,
  ...reconciliationRequirements,
  ...agentRequirements,
  ...reviewRequirements,
  ...callbackRequirements,
  ...inputRequirements,
  ...trustOperationRequirements,
  ...listingRequirements,
  ...logRequirements,
  ...stepRequirements,
  ...taskRequirements,
  ...productionRequirements,
  ...pilotRequirements,
  ...recoveryRequirements,
  ...exchangeRequirements,
  ...prospectRequirements,
  ...railRequirements,
  ...modelRequirements,
  ...operatorRequirements,
  ...packageRequirements,
  ...walletRequirements,
  ...isolationRequirements,
  ...nodeRequirements,
  ...attackRequirements,
  ...authorityRequirements,
  ...ap2Requirements,
  ...accountRequirements,
  ...feeRequirements,
  ...admissionRequirements,
  ...callerRequirements,
  ...harnessRequirements,
  ...serviceRequirements,
  ...signerRequirements,
  ...stolenRequirements,
  ...keyStandingRequirements,
  ...returnedMoneyRequirements,
  ...verificationRequirements,
  ...viewsRequirements,
  ...discoveryRequirements,
  ...firstUseRequirements,
  ...conformanceRequirements,
  ...consoleRequirements,
  ...traceRequirements,
  ...logWitnessRequirements,
  ...loopRequirements,
  ...mcpRequirements,
  ...mppRequirements,
  ...evidenceRequirements,
  ...commerceRequirements,
} as const satisfies Record<string, Requirement>

export type RequirementId = keyof typeof requirements
