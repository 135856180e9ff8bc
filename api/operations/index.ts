import { agents } from './agents/index.ts'
import { authority } from './authority/index.ts'
import { callbacks } from './callbacks/index.ts'
import { commerce } from './commerce/index.ts'
import { commercial } from './commercial/index.ts'
import { consoleOperations } from './console/index.ts'
import { credit } from './credit/index.ts'
import { directories } from './directories/index.ts'
import { discovery } from './discovery/index.ts'
import { exchange } from './exchange/index.ts'
import { harness } from './harness/index.ts'
import { inputs } from './inputs/index.ts'
import { keys } from './keys/index.ts'
import { listings } from './listings/index.ts'
import { transparencyLog } from './log/index.ts'
import { loops } from './loops/index.ts'
import { operators } from './operators/index.ts'
import { payments } from './payments/index.ts'
import { payouts } from './payouts/index.ts'
import { pilots } from './pilots/index.ts'
import { production } from './production/index.ts'
import { prospects } from './prospects/index.ts'
import { quotes } from './quotes/index.ts'
import { receipts } from './receipts/index.ts'
import { reviews } from './reviews/index.ts'
import { runs } from './runs/index.ts'
import { services } from './services/index.ts'
import { signing } from './signing/index.ts'
import { tasks } from './tasks/index.ts'
import { trust } from './trust/index.ts'
import { usage } from './usage/index.ts'
import { workOrders } from './work-orders/index.ts'

/** The operations by family, whose names are the tags of the OpenAPI document. */
export const families = {
  payouts,
  authority,
  quotes,
  payments,
  credit,
  commercial,
  usage,
  agents,
  services,
  harness,
  signing,
  runs,
  loops,
  production,
  pilots,
  inputs,
  callbacks,
  tasks,
  'work-orders': workOrders,
  exchange,
  reviews,
  operators,
  console: consoleOperations,
  keys,
  receipts,
  log: transparencyLog,
  trust,
  commerce,
  listings,
  prospects,
  directories,
  discovery,
} as const

type Family = (typeof families)[keyof typeof families]

/** The registry: every operation of the service. Routes, OpenAPI, discovery documents and the client are derived from it. */
export const operations: readonly Family[number][] = Object.values<Family>(families).flat()
