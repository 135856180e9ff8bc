import { decimalText, divideRounded, scaled, toInteger } from '../values/amounts.ts'
import {
  amountPlacesOf,
  type ByBand,
  type Charge,
  shownCharge,
  type Used,
  usedCharges,
} from './charges.ts'
import { shownDemand } from './demand.ts'
import { type Range, rangeOf } from './range.ts'
import type { BillLine, EnergyopsHead, EnergyopsResult } from './schema.ts'
import type { Band } from './tariff-schema.ts'
import { ENERGY_PLACES } from './units.ts'

type Recomputed = Pick<
  EnergyopsResult,
  | 'currency'
  | 'energy_by_band'
  | 'feed_in_by_band'
  | 'demand'
  | 'line_items'
  | 'bill_lines'
  | 'recomputed_exact_minor'
  | 'recomputed_minor'
  | 'billed_minor'
  | 'difference_minor'
  | 'range'
  | 'verdict'
>

/** `isWhole`: no interval lacks a reading, a band or a rate; `isBounded`: only readings are missing. */
type Known = { isWhole: boolean; isBounded: boolean }

/** What the counted intervals come to by the tariff, and how the bill and its lines stand to it. */
export function recompute(
  head: EnergyopsHead,
  used: Used,
  { isWhole, isBounded }: Known,
): Recomputed {
  const { tariff, bill } = head
  const places = amountPlacesOf(head)
  const { drawn, fedIn, demands, charges } = usedCharges(head, used)
  const range = isBounded && !isWhole ? rangeOf(head, used) : null
  const total = charges.reduce((sum, { amount }) => sum + amount, 0n)
  const recomputed_minor = toInteger(divideRounded(total, 10n ** BigInt(places)))
  const difference_minor = bill.total_minor - recomputed_minor
  const tolerance = head.tolerance_minor ?? Math.ceil(charges.length / 2)
  const whole = isWhole ? [recomputed_minor] : []
  const due = range === null ? whole : [range.shown.lowest_minor, range.shown.highest_minor]
  return {
    currency: tariff.currency,
    energy_by_band: shownBands(tariff.bands, drawn),
    feed_in_by_band: shownBands(tariff.feed_in?.bands ?? [], fedIn),
    demand: demands.map((one) => shownDemand(head, one)),
    line_items: charges.map((charge) => shownCharge(charge, places)),
    bill_lines: billLinesOf(head, charges, isWhole ? [] : casesOf(range)),
    recomputed_exact_minor: decimalText(total, places),
    recomputed_minor,
    billed_minor: bill.total_minor,
    difference_minor,
    range: range?.shown ?? null,
    verdict: verdictOf(
      due.map((minor) => bill.total_minor - minor),
      tolerance,
    ),
  }
}

const casesOf = (range: Range | null) => range && [range.lowest, range.highest]

/** The verdict that every difference has. */
function verdictOf(differences: readonly number[], tolerance: number): EnergyopsResult['verdict'] {
  const [first, ...others] = differences.map((difference) => {
    if (Math.abs(difference) <= tolerance) return 'agrees'
    return difference > 0 ? 'overbilled' : 'underbilled'
  })
  return first !== undefined && others.every((other) => other === first) ? first : 'undetermined'
}

const shownBands = (bands: readonly Band[], sums: ByBand) =>
  bands.map(({ name }, index) => {
    const { intervals = 0, energy = 0n } = sums[index] ?? {}
    return { band: name, intervals, energy: decimalText(energy, ENERGY_PLACES) }
  })

type Judged = EnergyopsResult['bill_lines'][number]
type Reason = Pick<Judged, 'reason' | 'detail'>

/**
 * Each billed line against the charges that it names, and the charges that no line names. A charge belongs to one line: the one that
 * says most about it, of equal ones the first. Without all readings a line can be judged whose charges are the same in every case
 * of the range, and else only the standing charge.
 */
function billLinesOf(
  head: EnergyopsHead,
  charges: readonly Charge[],
  cases: readonly (readonly Charge[])[] | null,
): Judged[] {
  const { lines } = head.bill
  if (lines === undefined) return []
  const taken = takenBy(lines, charges)
  const places = amountPlacesOf(head)
  const ofCases = cases?.map((one) => amountsOf(takenBy(lines, one)))
  const amounts = amountsOf(taken)
  const judged = lines.map((line, index): Judged => {
    const own = charges.filter((charge) => taken.get(charge) === index)
    const isKnown =
      line.kind === 'standing' ||
      ofCases?.every((ofCase) => ofCase.get(index) === amounts.get(index)) === true
    const reason = reasonOf(line, own, { lines, places, isKnown })
    const { kind, name = null, block = null, month = null, amount_minor } = line
    const sums = sumsOf(own, amount_minor, places)
    const of = { line: index, kind, name, block, month, billed_minor: amount_minor }
    const citations = [{ pointer: `/bill/lines/${index}` }, ...own.flatMap((one) => one.citations)]
    return { ...of, ...sums, ...reason, citations }
  })
  const unbilled = charges.flatMap((charge): Judged[] => {
    const { kind, name, block, month, citations } = charge
    if (taken.has(charge) || charge.amount === 0n) return []
    const of = { line: null, kind, name, block, month, billed_minor: null }
    const detail = 'no line of the bill has this charge'
    return [{ ...of, ...sumsOf([charge], 0, places), reason: 'not_billed', detail, citations }]
  })
  return [...judged, ...unbilled]
}

const selectors = ['name', 'block', 'month'] as const

const fits = (line: BillLine, charge: Charge): boolean =>
  line.kind === charge.kind &&
  selectors.every((selector) => line[selector] === undefined || line[selector] === charge[selector])

const specificity = (line: BillLine): number =>
  selectors.filter((selector) => line[selector] !== undefined).length

/** The index of the line that each charge belongs to. */
function takenBy(lines: readonly BillLine[], charges: readonly Charge[]): Map<Charge, number> {
  const order = lines
    .map((line, index) => ({ line, index }))
    .toSorted((a, b) => specificity(b.line) - specificity(a.line) || a.index - b.index)
  return new Map(
    charges.flatMap((charge): [Charge, number][] => {
      const found = order.find(({ line }) => fits(line, charge))
      return found === undefined ? [] : [[charge, found.index]]
    }),
  )
}

/** What the charges of each line come to. */
function amountsOf(taken: ReadonlyMap<Charge, number>): Map<number, bigint> {
  const amounts = new Map<number, bigint>()
  for (const [{ amount }, line] of taken) amounts.set(line, (amounts.get(line) ?? 0n) + amount)
  return amounts
}

function sumsOf(own: readonly Charge[], billed: number, places: number) {
  const exact = own.reduce((sum, { amount }) => sum + amount, 0n)
  const recomputed_minor = toInteger(divideRounded(exact, 10n ** BigInt(places)))
  return {
    recomputed_exact_minor: decimalText(exact, places),
    recomputed_minor,
    difference_minor: billed - recomputed_minor,
  }
}

type Bill = { lines: readonly BillLine[]; places: number; isKnown: boolean }

function reasonOf(
  line: BillLine,
  own: readonly Charge[],
  { lines, places, isKnown }: Bill,
): Reason {
  const [only, ...others] = own
  if (only === undefined) return withoutCharge(line, lines)
  if (!isKnown) return { reason: 'undetermined', detail: 'readings or bands are missing' }
  const { difference_minor } = sumsOf(own, line.amount_minor, places)
  if (Math.abs(difference_minor) <= Math.ceil(own.length / 2))
    return { reason: 'agrees', detail: '' }
  const quantity = quantityFault(line, own)
  const rate = others.length === 0 ? rateFault(line, only) : null
  const detail = [quantity, rate].filter((one) => one !== null).join('; ')
  if (quantity !== null && rate !== null) return { reason: 'quantity_and_rate_differ', detail }
  if (quantity !== null) return { reason: 'quantity_differs', detail }
  if (rate !== null) return { reason: 'rate_differs', detail }
  if (line.quantity !== undefined && line.rate !== undefined && others.length === 0)
    return { reason: 'wrong_product', detail: 'quantity and rate are right, their product is not' }
  return { reason: 'amount_differs', detail: 'the bill does not say from which quantity and rate' }
}

function withoutCharge(line: BillLine, lines: readonly BillLine[]): Reason {
  const isSame = (other: BillLine) =>
    other.kind === line.kind && selectors.every((selector) => other[selector] === line[selector])
  const first = lines.findIndex(isSame)
  return lines[first] === line
    ? { reason: 'not_in_tariff', detail: 'the tariff has no such charge in this bill' }
    : { reason: 'billed_twice', detail: `line ${first} has this charge` }
}

/** Quantities agree as far as the bill states their decimals; what is fed in may have either sign. */
function quantityFault({ quantity }: BillLine, own: readonly Charge[]): string | null {
  if (quantity === undefined) return null
  const [first] = own
  const comparable = own.every((one) => one.unit === first?.unit && one.month === first.month)
  if (first === undefined || !comparable) return null
  const sum = own.reduce((total, one) => total + one.quantity, 0n)
  const magnitude = sum < 0n ? -sum : sum
  const decimals = String(quantity).split('.')[1]?.length ?? 0
  const shown = divideRounded(magnitude, 10n ** BigInt(first.quantityPlaces - decimals))
  const billed = scaled(quantity, decimals) ?? 0n
  if (shown === (billed < 0n ? -billed : billed)) return null
  const text = decimalText(magnitude, first.quantityPlaces)
  return `the quantity is billed as ${quantity} ${first.unit} and recomputed as ${text}`
}

function rateFault({ rate }: BillLine, { stated }: Charge): string | null {
  if (rate === undefined || scaled(rate, 6) === scaled(stated, 6)) return null
  return `the rate is billed as ${rate}, the tariff says ${stated}`
}
