import { decimalText, divideRounded, toInteger } from '../values/amounts.ts'
import { billLinesOf } from './bill-lines.ts'
import { amountPlacesOf, type ByBand, byBand, chargesOf, shownCharge } from './charges.ts'
import { demandsOf, shownDemand } from './demand.ts'
import type { Period } from './period.ts'
import type { EnergyopsHead, EnergyopsResult } from './schema.ts'
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
