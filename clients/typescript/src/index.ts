export {
  type Answer,
  type Client,
  type ClientOptions,
  type ClientWallet,
  type InputOf,
  type OperationId,
  type OutputOf,
  type Problem,
  ProblemError,
} from '../../../api/http/client.ts'
export {
  type DigestSigner,
  type MessageSigner,
  presentVersion1,
  presentVersion2,
} from '../../../api/http/present.ts'
export {
  claimAccessKey,
  clientOf,
  type Manifest,
  type RegisteredAgent,
  registerAgent,
} from './agent.ts'
export { type AgentKey, createAgentKey, signText } from './agent-key.ts'
export { createClient, type Hosts } from './client.ts'
export { type Customer, type Order, type OwnTask, openCustomer, signContract } from './order.ts'
export { payingFetch, type Spending } from './pay.ts'
export {
  type PayoutBody,
  type PayoutOutcome,
  readPayoutBodies,
  submitPayouts,
} from './payouts.ts'
export {
  type AuthorizeTerms,
  authorizePayout,
  type Payout,
  principalTermsOf,
  signPrincipal,
  type TreasuryParties,
} from './treasury.ts'
export {
  type KeySet,
  type ReceiptFacts,
  verifyReceipt,
  verifyReceiptChain,
  verifyWebhook,
  type WebhookHeaders,
} from './verify.ts'
export { executePayout, type Run, waitForRun, waitForTask } from './wait.ts'
