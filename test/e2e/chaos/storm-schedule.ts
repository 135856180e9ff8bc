import { type Random, seededRandom } from './random.ts'
import type { RunPlan } from './schedule.ts'
import { type CustomerPlan, planCustomer } from './storm-customers.ts'

/** The processes of a stack, what is started on it, and for how long its parts are killed. */
export type StormShape = {
  apis: number
  workers: number
  payouts: number
  runs: number
  customers: number
  lastsMs: number
}
/** The part of this name is killed so long after the kill before it. */
type Kill = { part: string; afterMs: number }
export type StormPlan = {
  kills: Kill[]
  payouts: RunPlan[]
  /** When each agent run is started. */
  runs: { index: number; startMs: number }[]
  customers: CustomerPlan[]
}

const KILL_EVERY_MS = { least: 800, most: 3_400 }
const alone = ['worker-runs', 'temporal', 'postgres', 'chain', 'signer', 'cage']

/** The first one has the bare name. */
const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}-${index + 1}`))

/** The names of all parts of such a stack. */
export const partsOf = ({ apis, workers }: Pick<StormShape, 'apis' | 'workers'>): string[] => [
  ...numbered('api', apis),
  ...numbered('worker', workers),
  ...alone,
]

/** What happens in the storm of a seed: every part is killed about as often as each other, in any order. */
export function planStorm(seed: number, shape: StormShape): StormPlan {
  const random = seededRandom(seed, 'storm')
  const ofCustomers = seededRandom(seed, 'customers of a storm')
  const spread = (index: number, count: number) =>
    Math.floor((index * shape.lastsMs * 0.9) / Math.max(1, count))
  return {
    kills: planKills(random, partsOf(shape), shape.lastsMs),
    payouts: Array.from({ length: shape.payouts }, (_, index) => ({
      index,
      startMs: spread(index, shape.payouts),
      amountAtomic: random.between(1, 10) * 10_000,
      pays: random.chance(0.2),
      twice: random.chance(0.2),
      hangsUpMs: random.chance(0.3) ? random.between(5, 400) : null,
      leaves: random.chance(0.75),
      fault: null,
      activityFault: null,
    })),
    runs: Array.from({ length: shape.runs }, (_, index) => ({
      index,
      startMs: spread(index, shape.runs),
    })),
    customers: Array.from({ length: shape.customers }, () =>
      planCustomer(ofCustomers, shape.lastsMs),
    ),
  }
}

function planKills(random: Random, parts: readonly string[], lastsMs: number): Kill[] {
  const kills: Kill[] = []
  for (let atMs = 0; ; ) {
    for (const part of random.shuffled(parts)) {
      const afterMs = random.between(KILL_EVERY_MS.least, KILL_EVERY_MS.most)
      atMs += afterMs
      if (atMs > lastsMs) return kills
      kills.push({ part, afterMs })
    }
  }
}
