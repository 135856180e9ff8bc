import type { LineItemRequirement } from './mandates.ts'

/** What a checkout holds: an item and how many of it. */
export type CheckoutItem = { readonly id: string; readonly quantity: number }

/**
 * Whether the items meet the requirements exactly: each requirement gets its quantity, each item is used once, and none is left. This is
 * a maximal flow from requirements to items. A requirement without revealed items accepts none.
 */
export function meetsLineItems(
  items: readonly CheckoutItem[],
  requirements: readonly LineItemRequirement[],
): boolean {
  const held = new Map<string, number>()
  for (const { id, quantity } of items) held.set(id, (held.get(id) ?? 0) + quantity)
  const sum = (amounts: Iterable<number>) => [...amounts].reduce((a, b) => a + b, 0)
  const needed = sum(requirements.map(({ quantity }) => quantity))
  if (needed !== sum(held.values())) return false
  return maximalFlow(held, requirements) === needed
}

function maximalFlow(
  held: ReadonlyMap<string, number>,
  requirements: readonly LineItemRequirement[],
): number {
  const network = {
    open: requirements.map(({ quantity }) => quantity),
    left: new Map(held),
    accepts: requirements.map(({ acceptable_items }) => acceptable_items.map(({ id }) => id)),
    given: requirements.map(() => new Map<string, number>()),
  }
  let flow = 0
  for (let index = 0; index < requirements.length; index += 1) {
    let pushed = push(network, index)
    while (pushed > 0) {
      flow += pushed
      pushed = push(network, index)
    }
  }
  return flow
}

type Network = {
  open: number[]
  left: Map<string, number>
  accepts: string[][]
  given: Map<string, number>[]
}
/** A requirement in a path: it takes `item`, which the requirement `from` gives up. */
type Step = { requirement: number; item: string; from: Step | undefined }

/** Moves as much as one shortest augmenting path allows from a requirement to an item that is left; 0 where there is none. */
function push(network: Network, start: number): number {
  const wanted = network.open[start] ?? 0
  if (wanted === 0) return 0
  const path = findPath(network, start)
  if (path === undefined) return 0
  const amount = Math.min(wanted, network.left.get(path.item) ?? 0, ...givenAlong(network, path))
  network.left.set(path.item, (network.left.get(path.item) ?? 0) - amount)
  for (let step: Step | undefined = path; step !== undefined; step = step.from) {
    add(network, step.requirement, step.item, amount)
    if (step.from !== undefined) add(network, step.requirement, step.from.item, -amount)
  }
  network.open[start] = wanted - amount
  return amount
}

function add({ given }: Network, requirement: number, item: string, amount: number): void {
  const of = given[requirement]
  of?.set(item, (of.get(item) ?? 0) + amount)
}

/** What each requirement on the path holds of the item that it gives up. */
function givenAlong({ given }: Network, path: Step): number[] {
  const amounts: number[] = []
  for (let step = path; step.from !== undefined; step = step.from)
    amounts.push(given[step.requirement]?.get(step.from.item) ?? 0)
  return amounts
}

function findPath(network: Network, start: number): Step | undefined {
  const seen = new Set<string>()
  const queue: { requirement: number; from: Step | undefined }[] = [
    { requirement: start, from: undefined },
  ]
  for (const { requirement, from } of queue) {
    for (const item of network.accepts[requirement] ?? []) {
      if (seen.has(item)) continue
      seen.add(item)
      const step = { requirement, item, from }
      if ((network.left.get(item) ?? 0) > 0) return step
      network.given.forEach((of, holder) => {
        if ((of.get(item) ?? 0) > 0) queue.push({ requirement: holder, from: step })
      })
    }
  }
  return undefined
}
