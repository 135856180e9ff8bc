import { groupedBy } from '../../core/grouped-by.ts'
import type { Item } from './items.ts'

/** Invoices that a payment names; `weak` ones by a word or number that may mean something else. */
export type Named = { strong: Item[]; weak: Item[] }

/** Letters and digits that follow each other in a reference, with their place. */
type Run = { text: string; from: number; to: number }
/** An invoice that runs name, up to the place of the last of them. */
type Hit = { item: Item; isStrong: boolean; from: number; to: number }

/** So many runs may be one id, such as a creditor reference in groups of four. */
const RUNS_MAX = 8
/** So many invoices may stand between the first and the last of a series. */
const SERIES_MAX = 200
/** A number of so many digits is nothing but an id. */
const LONG = 12

/** What a payer calls an invoice before its number, in six languages. */
const invoiceWord =
  /^(inv|invs|invoice|invoices|bill|iv|rechnung|rechnungen|rechnungsnr|rechnr|rg|rgnr|re|renr|rnr|beleg|belegnr|facture|factures|fact|facts|fac|fra|fras|factura|facturas|fattura|fatture|fatt|ft|factuur|facturen|factuurnr|factnr)$/
const numberWord = /^(no|nr|nrs|nos|n|num|numero|numéro|number|nummer|nummern)$/
const joinWord = /^(and|und|u|et|y|e|en)$/
const rangeWord = /^(to|bis|thru|through|until|till|al|au|à|a|tot)$/

/**
 * Finds the ids of invoices in references: whole, also with other signs between their letters and digits (`INV 1001` is `INV-1001`); by
 * the number behind a word for an invoice; in lists (`INV-1001/02`) and series (`INV-1001 to INV-1003`); or, as a weak sign, by their
 * number of at least four digits alone. Always where only one invoice has it.
 */
export function readReferences(invoices: Item[]): (payment: Item) => Named {
  const ids = idsOf(invoices)
  return ({ reference }) => {
    const runs = runsOf(reference)
    const hits = hitsIn(reference, runs, ids)
    const series = hits.flatMap((hit, at) => seriesOf(hits[at - 1], hit, { reference, ids }))
    const strong = hits.filter(({ isStrong }) => isStrong).map(({ item }) => item)
    const weak = hits.filter(({ isStrong }) => !isStrong).map(({ item }) => item)
    for (const word of wordsOf(reference)) {
      const item = ids.byId.get(word)
      if (item !== undefined) (isDistinct(word) ? strong : weak).push(item)
    }
    return { strong: [...new Set([...strong, ...series])], weak: [...new Set(weak)] }
  }
}

type Ids = ReturnType<typeof idsOf>

function idsOf(invoices: Item[]) {
  const only = (keyOf: (id: string) => string | null) => {
    const groups = groupedBy(invoices, ({ id }) => keyOf(id))
    const single = [...groups].flatMap(([key, [item, another]]) =>
      key === null || item === undefined || another !== undefined ? [] : [[key, item] as const],
    )
    return new Map(single)
  }
  const longest = invoices.reduce((most, { id }) => Math.max(most, plainOf(id).length), 0)
  return {
    longest,
    byId: new Map(invoices.map((invoice) => [invoice.id.toLowerCase(), invoice])),
    byPlain: only(plainOf),
    byDigits: only((id) => {
      const digits = plainOf(id).replace(/\D/g, '')
      return digits.length < 4 ? null : digits
    }),
    byLong: only((id) => (/^\d{12,}$/.test(plainOf(id)) ? withoutZeros(plainOf(id)) : null)),
    byNumber: only(numberOf),
  }
}

function hitsIn(reference: string, runs: Run[], ids: Ids): Hit[] {
  const hits: Hit[] = []
  for (let at = 0; at < runs.length; ) {
    const isCalled = isCalledInvoice(runs, at)
    const found =
      continued(hits.at(-1), { reference, runs, at, ids }) ??
      wholeId(reference, { runs, at, ids, isCalled })
    if (found !== undefined) hits.push(found.hit)
    at = found?.next ?? at + 1
  }
  return hits
}

type At = { runs: Run[]; at: number; ids: Ids }
type Found = { hit: Hit; next: number }

/** Whether a word for an invoice stands before a run, or one with `no.` behind it. */
function isCalledInvoice(runs: Run[], at: number): boolean {
  const before = runs[at - 1]?.text ?? ''
  const word = numberWord.test(before) ? (runs[at - 2]?.text ?? '') : before
  return invoiceWord.test(word)
}

/** The longest id that begins with a run, or its number. */
function wholeId(
  reference: string,
  { runs, at, ids, isCalled }: At & { isCalled: boolean },
): Found | undefined {
  const [first] = runs.slice(at)
  if (first === undefined) return undefined
  let best: Found | undefined
  let plain = ''
  for (const [index, run] of runs.slice(at, at + RUNS_MAX).entries()) {
    plain += run.text
    if (plain.length > Math.max(ids.longest, 2 * LONG + 4)) break
    const place = { from: first.from, to: run.to }
    const found = idAt({ plain, isCalled, ids, written: reference.slice(first.from, run.to) })
    if (found !== undefined) best = { hit: { ...found, ...place }, next: at + index + 1 }
  }
  return best
}

type Written = { plain: string; written: string; isCalled: boolean; ids: Ids }

function idAt({ plain, written, isCalled, ids }: Written) {
  const whole = ids.byPlain.get(plain)
  if (/\D/.test(plain)) {
    const isOne = whole !== undefined && /\d{3}/.test(plain)
    return isOne ? { item: whole, isStrong: true } : undefined
  }
  if (plain.length >= LONG) {
    const item = ids.byLong.get(withoutZeros(plain))
    return item === undefined ? undefined : { item, isStrong: true }
  }
  const isVerbatim = whole?.id.toLowerCase() === written.toLowerCase() && plain.length >= 5
  if (whole !== undefined && (isCalled || isVerbatim)) return { item: whole, isStrong: true }
  const digits = isCalled ? ids.byDigits.get(plain) : undefined
  if (digits !== undefined) return { item: digits, isStrong: true }
  if (/\D/.test(written)) return undefined
  const numbered = ids.byNumber.get(numberOf(plain) ?? '')
  return numbered === undefined ? undefined : { item: numbered, isStrong: isCalled }
}

/** A number in a list behind an id, of which it states the last digits: `INV-1001/02`, `INV-1001 and 1002`. */
function continued(
  last: Hit | undefined,
  { reference, runs, at, ids }: At & { reference: string },
): Found | undefined {
  const joins = joinWord.test(runs[at]?.text ?? '') || rangeWord.test(runs[at]?.text ?? '')
  const run = joins ? runs[at + 1] : runs[at]
  if (last?.isStrong !== true || run === undefined || !/^\d{2,}$/.test(run.text)) return undefined
  if (/^[.,]\d/.test(reference.slice(run.to))) return undefined
  const between = reference.slice(last.to, run.from)
  const isSlash = /^\s?[/+]\s?$/.test(between)
  const isList = isSlash || (joins ? at > 0 && runs[at - 1]?.to === last.to : isListSign(between))
  const { head, number, tail } = partsOf(last.item.id)
  const missing = number.length - run.text.length
  const isPadded = missing === 1 && number.startsWith('0')
  if (!isList || missing < 0 || !(isSlash || missing === 0 || isPadded)) return undefined
  const item = ids.byPlain.get(plainOf(`${head}${number.slice(0, missing)}${run.text}${tail}`))
  if (item === undefined) return undefined
  const hit = { item, isStrong: true, from: run.from, to: run.to }
  return { hit, next: at + (joins ? 2 : 1) }
}

const isListSign = (between: string) => /^\s*[,;&|]\s*$|^\s+[-–]\s+$/.test(between)

/** The invoices between two of one series. */
function seriesOf(
  first: Hit | undefined,
  last: Hit,
  { reference, ids }: { reference: string; ids: Ids },
): Item[] {
  if (first?.isStrong !== true || !last.isStrong) return []
  const between = reference.slice(first.to, last.from).trim().toLowerCase()
  const isRange = rangeWord.test(between) || /^([-–—]|\.{2,3}|t\/m)$/.test(between)
  const [from, to] = [partsOf(first.item.id), partsOf(last.item.id)]
  const isSeries =
    from.head === to.head && from.tail === to.tail && from.number.length === to.number.length
  const count = Number(to.number) - Number(from.number)
  if (!isRange || !isSeries || count > SERIES_MAX) return []
  return Array.from({ length: Math.max(0, count - 1) }, (_, index) => {
    const number = String(Number(from.number) + index + 1).padStart(from.number.length, '0')
    return ids.byPlain.get(plainOf(`${from.head}${number}${from.tail}`)) ?? []
  }).flat()
}

/** The last number of an id, and what stands around it. */
function partsOf(id: string): { head: string; number: string; tail: string } {
  const [, head = '', number = '', tail = ''] = /^(.*?)(\d*)(\D*)$/.exec(id.toLowerCase()) ?? []
  return { head, number, tail }
}

/** An id that is not also a word or a count: with a letter and a digit, or with five digits. */
function isDistinct(id: string): boolean {
  return (/\p{L}/u.test(id) && /\d/.test(id)) || /\d{5}/.test(id)
}

function numberOf(text: string): string | null {
  const digits = /(\d{4,})\D*$/.exec(text)?.[1]
  return digits === undefined ? null : withoutZeros(digits)
}

const withoutZeros = (digits: string) => digits.replace(/^0+/, '')

function runsOf(reference: string): Run[] {
  return [...reference.matchAll(/[\p{L}\d]+/gu)].map(({ 0: text, index }) => {
    return { text: text.toLowerCase(), from: index, to: index + text.length }
  })
}

/** The whole reference and its words, as ids may be written in it. */
function wordsOf(reference: string): string[] {
  const text = reference.toLowerCase()
  return [
    text.trim(),
    ...text.split(/[\s,;:|()[\]"']+/).map((word) => word.replace(/^[#.]+|[.]+$/g, '')),
  ].filter((word) => word !== '')
}

/** Letters and digits alone. */
function plainOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\d]/gu, '')
}
