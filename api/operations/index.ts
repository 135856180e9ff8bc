import { accounts } from './accounts.ts'
import { agents } from './agents/index.ts'
import { authority } from './authority/index.ts'
import { callbacks } from './callbacks.ts'
import { commerce } from './commerce/index.ts'
import { consoleOperations } from './console/index.ts'
import { credit } from './credit/index.ts'
import { directories } from './directories.ts'
import { discovery } from './discovery/index.ts'
import { exchange } from './exchange.ts'
import { harness } from './harness/index.ts'
import { inputs } from './inputs.ts'
import { keys } from './keys.ts'
import { listings } from './listings.ts'
import { transparencyLog } from './log.ts'
import { loops } from './loops/index.ts'
import { operators } from './operators.ts'
import { payments } from './payments/index.ts'
import { payouts } from './payouts.ts'
import { pilots } from './pilots/index.ts'
import { production } from './production/index.ts'
import { prospects } from './prospects/index.ts'
import { quotes } from './quotes.ts'
import { receipts } from './receipts.ts'
import { resolver } from './resolver/index.ts'
import { reviews } from './reviews.ts'
import { runs } from './runs/index.ts'
import { signing } from './signing.ts'
import { tasks } from './tasks/index.ts'
import { trust } from './trust/index.ts'
import { usage } from './usage.ts'
import { workOrders } from './work-orders.ts'

/** The operations by family, whose names are the tags of the OpenAPI document. */
export const families = {
  payouts,
  authority,
  quotes,
  payments,
  credit,
  commercial: accounts,
  usage,
  agents,
  services: resolver,
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
