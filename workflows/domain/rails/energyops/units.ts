import { toMicro } from '../values/amounts.ts'

/** Energy is held in units of the rates, as whole numbers of 10⁻¹². */
export const ENERGY_PLACES = 12
/** An amount is energy times a rate in millionths. */
export const AMOUNT_PLACES = ENERGY_PLACES + 6

const powers: Readonly<Record<string, number>> = { Wh: 0, kWh: 3, MWh: 6 }

/** `KWH` → `kWh`: a unit of energy in any case as it is written, and every other as it is given. */
export const unitOf = (given: string): string =>
  Object.keys(powers).find((unit) => unit.toLowerCase() === given.toLowerCase()) ?? given

/** The power of ten that makes units of the rates of units of the meter; null where they do not measure the same. */
export function unitExponent(meterUnit: string, rateUnit: string | undefined): number | null {
  if (rateUnit === undefined || unitOf(rateUnit) === unitOf(meterUnit)) return 0
  const [from, to] = [powers[unitOf(meterUnit)], powers[unitOf(rateUnit)]]
  return from === undefined || to === undefined ? null : from - to
}

type Measured = { meter: { unit: string }; tariff: { rate_unit?: string | undefined } }

/** Reads a value of the meter, or of another unit, as energy; undefined where the unit does not measure the same. */
export function energyReader({ meter, tariff }: Measured) {
  const toRates = unitExponent(meter.unit, tariff.rate_unit) ?? 0
  return (value: number | string, unit = meter.unit): bigint | undefined => {
    const toMeter = unitExponent(unit, meter.unit)
    if (toMeter === null) return undefined
    return toMicro(value) * 10n ** BigInt(ENERGY_PLACES - 6 + toMeter + toRates)
  }
}

export const rateUnitOf = ({ meter, tariff }: Measured): string =>
  tariff.rate_unit ?? unitOf(meter.unit)
