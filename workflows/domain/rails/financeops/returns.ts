import { type Item, oldestFirst } from './items.ts'

/** A payment that came back, the row that returns it, and the invoices that either names. */
type Returned = { payment: Item; refund: Item; named: Item[] }
export type Returns = { returned: Returned[]; unclear: { refund: Item; named: Item[] }[] }

/** Reasons of returned SEPA payments (ISO 20022 ExternalReturnReason1Code, as EPC173-14 uses them). */
const sepaReason =
  /\b(?:AC0[1-6]|AC1[3-5]|AG0[1-9]|AG10|AM0[1-9]|AM10|ARDT|BE0[1-8]|CNOR|CURR|CUST|CUTA|DNOR|DT01|DUPL|ED05|FF0[1-7]|FOCR|FRAD|FRTR|MD0[1-7]|MS0[23]|NOAS|RC0[1-8]|RR0[1-9]|SL0[12]|SVNR|TECH|TM01|UPAY)\b/
/** Reasons of returned ACH entries, R01 to R85 (Nacha Operating Rules, Appendix Four). */
const achReason = /\bR(?:0[1-9]|[1-7]\d|8[0-5])\b/
const returnWords =
  /\b(?:returned|returns?|revers(?:al|ed)|charge[- ]?backs?|rejected|refused|unpaid|dishonou?red|bounced|insufficient funds|nsf|recall(?:ed)?|r(?:ü|ue)ck(?:lastschrift|buchung|gabe|überweisung|ueberweisung)|retoure|storno|stornierung|rejet|impay[ée]e?|devoluci[oó]n|insoluto|storniert)(?![\p{L}\d])/iu

/** Whether the text of a refund says that a payment came back. */
function saysReturned(reference: string): boolean {
  return sepaReason.test(reference) || achReason.test(reference) || returnWords.test(reference)
}

/**
 * The payment that each return takes back: of its amount, not later, and naming an invoice that the return names, or else the only one of
 * its party. A return that no payment fits, or more than one of the party, is unclear.
 */
export function returnedPayments(
  payments: Item[],
  refunds: Item[],
  namesOf: (item: Item) => Item[],
): Returns {
  const returns = refunds.filter(({ reference }) => saysReturned(reference)).sort(oldestFirst)
  const found: Returns = { returned: [], unclear: [] }
  if (returns.length === 0) return found
  const sorted = payments.toSorted(oldestFirst)
  const byName = freeBy(sorted, (item) => namesOf(item).map(({ id }) => nameKey(item, id)))
  const byParty = freeBy(sorted, (item) => (item.party === null ? [] : [partyKey(item)]))
  for (const refund of returns) {
    const named = namesOf(refund)
    const ofName = named.map(({ id }) => byName.until(nameKey(refund, id), refund.day).last)
    const ofParty = byParty.until(partyKey(refund), refund.day)
    const payment = ofName.find((one) => one !== undefined) ?? ofParty.only
    if (payment === undefined) found.unclear.push({ refund, named })
    else {
      byName.take(payment)
      byParty.take(payment)
      const both = [...new Set([...named, ...namesOf(payment)])]
      found.returned.push({ payment, refund, named: both })
    }
  }
  return found
}

const nameKey = ({ currency, amount }: Item, id: string) => `${currency} ${amount} ${id}`
const partyKey = ({ currency, amount, party }: Item) => `${currency} ${amount} ${party}`

/** `came`: of the items in the order of their days, those that were reached; some of them may be taken. */
type Queue = { items: Item[]; next: number; came: Item[]; free: number }

/** Items that are not taken, by keys; days are asked for in their order, so that each item is reached once. */
function freeBy(items: Item[], keysOf: (item: Item) => string[]) {
  const queues = new Map<string, Queue>()
  const taken = new Set<Item>()
  for (const item of items)
    for (const key of keysOf(item)) {
      const queue = queues.get(key) ?? { items: [], next: 0, came: [], free: 0 }
      queues.set(key, queue)
      queue.items.push(item)
    }
  return {
    /** The last item up to a day, and the only one where there is no other. */
    until(key: string, day: number): { last?: Item | undefined; only?: Item | undefined } {
      const queue = queues.get(key)
      if (queue === undefined) return {}
      for (let item = queue.items[queue.next]; item !== undefined && item.day <= day; ) {
        if (!taken.has(item)) {
          queue.came.push(item)
          queue.free += 1
        }
        queue.next += 1
        item = queue.items[queue.next]
      }
      while (taken.has(queue.came.at(-1) as Item)) queue.came.pop()
      const last = queue.came.at(-1)
      return { last, only: queue.free === 1 ? last : undefined }
    },
    take(item: Item): void {
      taken.add(item)
      for (const key of keysOf(item)) {
        const queue = queues.get(key)
        const next = queue?.items[queue.next]
        const isReached = next === undefined || oldestFirst(item, next) < 0
        if (queue !== undefined && isReached) queue.free -= 1
      }
    },
  }
}
