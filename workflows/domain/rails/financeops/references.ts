import { groupedBy } from '../../core/grouped-by.ts'
import { discountsOf, type Item, oldestFirst, sumOf } from './items.ts'
import { type Named, readReferences } from './naming.ts'

type Group = { invoices: Item[]; payments: Item[] }
type References = {
  groups: Group[]
  /** Payments whose reference is not followed, since amount and party say something else. */
  ignored: { payment: Item; named: Item[] }[]
}

/** Credit notes that state no invoice, on the one invoice that a payment of their party names next to them. */
export function creditsNamed(invoices: Item[], credits: Item[], payments: Item[]): Item[] {
  const free = credits.filter((credit) => credit.credits === null)
  if (free.length === 0) return credits
  const [invoicesOf, creditsOf] = [readReferences(invoices), readReferences(free)]
  const stated = new Map<Item, string>()
  for (const payment of payments.toSorted(oldestFirst)) {
    const [invoice, another] = invoicesOf(payment).strong
    if (invoice === undefined || another !== undefined) continue
    for (const credit of creditsOf(payment).strong)
      if (credit.party === invoice.party && credit.currency === invoice.currency)
        stated.set(credit, stated.get(credit) ?? invoice.id)
  }
  return credits.map((credit) => {
    const invoice = stated.get(credit)
    return invoice === undefined ? credit : { ...credit, credits: invoice }
  })
}

type Link = { payment: Item; named: Item[] }

/**
 * Invoices and payments that credible references join, directly or through each other. A weak reference counts only where the
 * amount fits and the party is not another one. In a group that does not come out even, a payment whose amount and party fit
 * exactly another open invoice, and none that it names, is taken out.
 */
export function followReferences(
  invoices: Item[],
  payments: Item[],
  namedBy: (payment: Item) => Named,
  tolerance: bigint,
): References {
  const exact = groupedBy(invoices, (item) => `${item.currency} ${item.party} ${item.open}`)
  const ignored: Link[] = []
  const links = payments.flatMap((payment): Link[] => {
    const { strong, weak } = namedBy(payment)
    const own = (named: Item[]) => named.filter(({ currency }) => currency === payment.currency)
    const both = own([...new Set([...strong, ...weak])])
    if (both.length > 0 && weakFits(payment, both, tolerance)) return [{ payment, named: both }]
    const sure = own(strong).filter(() => !isStrangers(payment, own(strong), tolerance))
    if (both.length > sure.length) ignored.push({ payment, named: both })
    return sure.length === 0 ? [] : [{ payment, named: sure }]
  })
  const { even, uneven } = parted(links, tolerance)
  const settled = new Set(even.flatMap((group) => group.invoices))
  const isOutvoted = ({ payment, named }: Link) => {
    const others = exact.get(`${payment.currency} ${payment.party} ${payment.open}`) ?? []
    const free = others.some((invoice) => !named.includes(invoice) && !settled.has(invoice))
    return payment.party !== null && free && !named.some(({ open }) => open === payment.open)
  }
  const outvoted = uneven.filter(isOutvoted)
  ignored.push(...outvoted)
  const kept = new Set(outvoted.map(({ payment }) => payment))
  const again = parted(
    uneven.filter(({ payment }) => !kept.has(payment)),
    tolerance,
  )
  return { groups: [...even, ...again.even, ...again.groups], ignored }
}

/** Another party that pays more than all it names comes to has named something else. */
function isStrangers(payment: Item, named: Item[], tolerance: bigint): boolean {
  const own = named.some(({ party }) => payment.party === null || party === payment.party)
  return !own && payment.open > sumOf(named) + tolerance
}

function weakFits(payment: Item, named: Item[], tolerance: bigint): boolean {
  if (named.some(({ party }) => payment.party !== null && party !== payment.party)) return false
  const difference = payment.open - sumOf(named)
  return difference <= tolerance && -difference <= tolerance
}

/** The groups whose sums are equal within the tolerance, and the others, also as their links. */
function parted(links: Link[], tolerance: bigint) {
  const joined = disjointSets<Item>()
  for (const { named } of links)
    for (const invoice of named) joined.join(named[0] ?? invoice, invoice)
  const invoices = groupedBy(joined.items(), (invoice) => joined.rootOf(invoice))
  const byRoot = groupedBy(links, ({ named: [first] }) => joined.rootOf(first as Item))
  const all = [...byRoot].map(([root, own]) => ({
    links: own,
    group: {
      invoices: (invoices.get(root) ?? []).toSorted(oldestFirst),
      payments: own.map(({ payment }) => payment).sort(oldestFirst),
    },
  }))
  const isEven = ({ group }: (typeof all)[number]) => {
    const difference = sumOf(group.payments) - sumOf(group.invoices)
    const even = difference <= tolerance && -difference <= tolerance
    const discounted = difference + discountsOf(group.invoices, group.payments)
    return even || (discounted <= tolerance && -discounted <= tolerance)
  }
  const uneven = all.filter((one) => !isEven(one))
  return {
    even: all.filter(isEven).map(({ group }) => group),
    uneven: uneven.flatMap((one) => one.links),
    groups: uneven.map(({ group }) => group),
  }
}

/** Sets that grow together: joining and finding take next to constant time (union by size, path halving). */
function disjointSets<T>() {
  const parents = new Map<T, T>()
  const sizes = new Map<T, number>()
  const rootOf = (item: T): T => {
    let at = item
    for (let parent = parents.get(at) ?? at; parent !== at; parent = parents.get(at) ?? at) {
      const above = parents.get(parent) ?? parent
      parents.set(at, above)
      at = above
    }
    if (!parents.has(at)) parents.set(at, at)
    return at
  }
  return {
    rootOf,
    join(one: T, other: T): void {
      const [a, b] = [rootOf(one), rootOf(other)]
      if (a === b) return
      const [sizeA, sizeB] = [sizes.get(a) ?? 1, sizes.get(b) ?? 1]
      const [large, small] = sizeA < sizeB ? [b, a] : [a, b]
      parents.set(small, large)
      sizes.set(large, sizeA + sizeB)
    },
    /** Everything that was ever named, in the order in which it was. */
    items: (): T[] => [...parents.keys()],
  }
}
