import { toMicro } from '../values/amounts.ts'

/** Energy is held in units of the rates, as whole numbers of 10⁻¹². */
export const ENERGY_PLACES = 12
/** An amount is energy times a rate in millionths. */
export const AMOUNT_PLACES = ENERGY_PLACES + 6

const powers: Readonly<Record<string, number>> = { Wh: 0, kWh: 3, MWh: 6 }

/** The power of ten that makes units of the rates of units of the meter; null where they do not measure the same. */
export function unitExponent(meterUnit: string, rateUnit: string | undefined): number | null {
  if (rateUnit === undefined || rateUnit === meterUnit) return 0
  const [from, to] = [powers[meterUnit], powers[rateUnit]]
  return from === undefined || to === undefined ? null : from - to
}

type Measured = { meter: { unit: string }; tariff: { rate_unit?: string | undefined } }

/** Reads a value of the meter as energy. */
export function energyReader({ meter, tariff }: Measured): (value: number | string) => bigint {
  const exponent = unitExponent(meter.unit, tariff.rate_unit) ?? 0
  const factor = 10n ** BigInt(ENERGY_PLACES - 6 + exponent)
  return (value) => toMicro(value) * factor
}

export const rateUnitOf = ({ meter, tariff }: Measured): string => tariff.rate_unit ?? meter.unit
