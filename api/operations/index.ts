import { agentUse } from './agent-use/index.ts'
import { agents } from './agents/index.ts'
import { authority } from './authority/index.ts'
import { callbacks } from './callbacks/index.ts'
import { discovery } from './discovery/index.ts'
import { inputs } from './inputs/index.ts'
import { keys } from './keys/index.ts'
import { money } from './money/index.ts'
import { operators } from './operators/index.ts'
import { payouts } from './payouts/index.ts'
import { receipts } from './receipts/index.ts'
import { reviews } from './reviews/index.ts'
import { selfServe } from './self-serve/index.ts'
import { signing } from './signing/index.ts'
import { tasks } from './tasks/index.ts'
import { walletRuns } from './wallet-runs/index.ts'
import { workOrders } from './work-orders/index.ts'

/** The operations by family, whose names are the tags of the OpenAPI document. */
export const families = {
  payouts,
  authority,
  money,
  agents,
  signing,
  'agent-use': agentUse,
  'self-serve': selfServe,
  tasks,
  'work-orders': workOrders,
  'wallet-runs': walletRuns,
  inputs,
  callbacks,
  reviews,
  operators,
  keys,
  receipts,
  discovery,
} as const

/** The registry: every operation of the service. Routes, OpenAPI, discovery documents and the client are derived from it. */
export const operations = [
  ...payouts,
  ...authority,
  ...money,
  ...agents,
  ...signing,
  ...agentUse,
  ...selfServe,
  ...inputs,
  ...callbacks,
  ...tasks,
  ...workOrders,
  ...walletRuns,
  ...reviews,
  ...operators,
  ...keys,
  ...receipts,
  ...discovery,
] as const
