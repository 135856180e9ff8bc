import {
  agentCreditFund,
  agentCreditRead,
  creditBindingCreate,
  creditBindingRead,
} from './entitlements.ts'
import {
  allowanceFund,
  allowanceLimits,
  allowanceTier,
  allowanceWalletCreate,
  allowanceWalletRead,
} from './wallets.ts'

/** Credit of agents, and allowance wallets. */
export const credit = [
  agentCreditRead,
  agentCreditFund,
  allowanceWalletRead,
  allowanceWalletCreate,
  allowanceFund,
  allowanceLimits,
  allowanceTier,
  creditBindingRead,
  creditBindingCreate,
] as const
