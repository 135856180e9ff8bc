import { decimalText, divideRounded, microOf, toInteger, toMicro } from '../amounts.ts'
import { dayOf } from '../calendar.ts'
import type { Counted } from './period.ts'
import type { EnergyopsHead, EnergyopsResult } from './schema.ts'

type LineItem = EnergyopsResult['line_items'][number]
type Recomputed = Pick<
  EnergyopsResult,
  | 'currency'
  | 'energy_by_band'
  | 'line_items'
  | 'recomputed_exact_minor'
  | 'recomputed_minor'
  | 'billed_minor'
  | 'difference_minor'
  | 'verdict'
>

/** Amounts are whole numbers of 10⁻¹² minor units: millionths of a unit by millionths of a rate. */
const AMOUNT_PLACES = 12
const AMOUNT_UNITS = 10n ** BigInt(AMOUNT_PLACES)

/** What the counted intervals come to by the tariff, and how the bill stands to it; `whole` says that no interval is missing. */
export function recompute(head: EnergyopsHead, counted: Counted[], whole: boolean): Recomputed {
  const { tariff, meter, bill } = head
  const bands = tariff.bands.map(({ name, rate_minor }, index) => {
    const own = counted.filter(({ band }) => band === index)
    return {
      name,
      index,
      rate: toMicro(rate_minor),
      intervals: own.length,
      energy: own.reduce((sum, { value }) => sum + value, 0n),
    }
  })
  const used = bands.filter(({ intervals }) => intervals > 0)
  const days = dayOf(bill.to) - dayOf(bill.from) + 1
  const standing = tariff.standing_per_day === undefined ? null : toMicro(tariff.standing_per_day)
  const total = used.reduce(
    (sum, { energy, rate }) => sum + energy * rate,
    (standing ?? 0n) * microOf(days),
  )
  const line_items = [
    ...used.map(({ name, index, energy, rate }) =>
      energyLine(name, index, energy, rate, meter.unit),
    ),
    ...(standing === null ? [] : [standingLine(days, standing)]),
  ]
  const recomputed_minor = toInteger(divideRounded(total, AMOUNT_UNITS))
  const difference_minor = bill.total_minor - recomputed_minor
  const tolerance = head.tolerance_minor ?? Math.ceil(line_items.length / 2)
  return {
    currency: tariff.currency,
    energy_by_band: bands.map(({ name, intervals, energy }) => ({
      band: name,
      intervals,
      energy: decimalText(energy, 6),
    })),
    line_items,
    recomputed_exact_minor: decimalText(total, AMOUNT_PLACES),
    recomputed_minor,
    billed_minor: bill.total_minor,
    difference_minor,
    verdict: whole ? verdictOf(difference_minor, tolerance) : 'undetermined',
  }
}

function verdictOf(difference: number, tolerance: number): EnergyopsResult['verdict'] {
  if (Math.abs(difference) <= tolerance) return 'agrees'
  return difference > 0 ? 'overbilled' : 'underbilled'
}

function energyLine(
  band: string,
  index: number,
  energy: bigint,
  rate: bigint,
  unit: string,
): LineItem {
  return {
    kind: 'energy',
    band,
    quantity: decimalText(energy, 6),
    unit,
    rate_minor: decimalText(rate, 6),
    amount_minor: decimalText(energy * rate, AMOUNT_PLACES),
    citations: [{ pointer: `/tariff/bands/${index}` }],
  }
}

function standingLine(days: number, rate: bigint): LineItem {
  return {
    kind: 'standing',
    band: null,
    quantity: String(days),
    unit: 'day',
    rate_minor: decimalText(rate, 6),
    amount_minor: decimalText(rate * microOf(days), AMOUNT_PLACES),
    citations: [{ pointer: '/tariff/standing_per_day' }, { pointer: '/bill' }],
  }
}
