import { agentCreditFund } from './agent-credit-fund.ts'
import { agentCreditRead } from './agent-credit-read.ts'
import { allowanceFund } from './allowance-fund.ts'
import { allowanceLimits } from './allowance-limits.ts'
import { allowanceTier } from './allowance-tier.ts'
import { allowanceWalletCreate } from './allowance-wallet-create.ts'
import { allowanceWalletRead } from './allowance-wallet-read.ts'
import { creditBindingCreate } from './credit-binding-create.ts'
import { creditBindingRead } from './credit-binding-read.ts'

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
