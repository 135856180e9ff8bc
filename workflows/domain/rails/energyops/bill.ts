import { decimalText, divideRounded, scaled, toInteger } from '../values/amounts.ts'
import {
  amountPlacesOf,
  type ByBand,
  byBand,
  type Charge,
  chargesOf,
  shownCharge,
} from './charges.ts'
import { demandsOf, shownDemand } from './demand.ts'
import type { Period } from './period.ts'
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
  | 'verdict'
>

/** What was drawn and fed in; `isWhole` says that no interval lacks a reading or a band. */
type Used = { drawn: Period; fedIn: Period | null; isWhole: boolean }

/** What the counted intervals come to by the tariff, and how the bill and its lines stand to it. */
export function recompute(head: EnergyopsHead, { drawn, fedIn, isWhole }: Used): Recomputed {
  const { tariff, bill } = head
  const places = amountPlacesOf(head)
  const demands = demandsOf(head, drawn)
  const exportBands = tariff.feed_in?.bands ?? []
  const used = {
    drawn: byBand(tariff.bands, drawn.counted),
    fedIn: byBand(exportBands, fedIn?.counted ?? []),
    demands,
    energy: drawn.counted.reduce((sum, { value }) => sum + value, 0n),
  }
  const charges = chargesOf(head, used)
  const total = charges.reduce((sum, { amount }) => sum + amount, 0n)
  const recomputed_minor = toInteger(divideRounded(total, 10n ** BigInt(places)))
  const difference_minor = bill.total_minor - recomputed_minor
  const tolerance = head.tolerance_minor ?? Math.ceil(charges.length / 2)
  return {
    currency: tariff.currency,
    energy_by_band: shownBands(tariff.bands, used.drawn),
    feed_in_by_band: shownBands(exportBands, used.fedIn),
    demand: demands.map((one) => shownDemand(head, one)),
    line_items: charges.map((charge) => shownCharge(charge, places)),
    bill_lines: billLinesOf(head, charges, isWhole),
    recomputed_exact_minor: decimalText(total, places),
    recomputed_minor,
    billed_minor: bill.total_minor,
    difference_minor,
    verdict: isWhole ? verdictOf(difference_minor, tolerance) : 'undetermined',
  }
}

function verdictOf(difference: number, tolerance: number): EnergyopsResult['verdict'] {
  if (Math.abs(difference) <= tolerance) return 'agrees'
  return difference > 0 ? 'overbilled' : 'underbilled'
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
 * says most about it, of equal ones the first. Without all readings only the standing charge can be judged.
 */
function billLinesOf(head: EnergyopsHead, charges: readonly Charge[], isWhole: boolean): Judged[] {
  const { lines } = head.bill
  if (lines === undefined) return []
  const taken = takenBy(lines, charges)
  const places = amountPlacesOf(head)
  const judged = lines.map((line, index): Judged => {
    const own = charges.filter((charge) => taken.get(charge) === index)
    const reason = reasonOf(line, own, { lines, places, isWhole })
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

function sumsOf(own: readonly Charge[], billed: number, places: number) {
  const exact = own.reduce((sum, { amount }) => sum + amount, 0n)
  const recomputed_minor = toInteger(divideRounded(exact, 10n ** BigInt(places)))
  return {
    recomputed_exact_minor: decimalText(exact, places),
    recomputed_minor,
    difference_minor: billed - recomputed_minor,
  }
}

type Bill = { lines: readonly BillLine[]; places: number; isWhole: boolean }

function reasonOf(
  line: BillLine,
  own: readonly Charge[],
  { lines, places, isWhole }: Bill,
): Reason {
  const [only, ...others] = own
  if (only === undefined) return withoutCharge(line, lines)
  if (!isWhole && line.kind !== 'standing')
    return { reason: 'undetermined', detail: 'readings or bands are missing' }
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
