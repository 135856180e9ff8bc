import type { EnergyopsInput } from './schema.ts'

/** Half-hour readings of a flat in London over the two days around the clock change of March 2026, by the clock on the wall. */
export const energyopsInput: EnergyopsInput = {
  meter: {
    id: 'mpan-1012345678901',
    unit: 'kWh',
    interval_minutes: 30,
    time_zone: 'Europe/London',
  },
  tariff: {
    currency: 'GBP',
    standing_per_day: 53.37,
    bands: [
      { name: 'night', rate_minor: 9.5, from: '00:30', to: '04:30' },
      { name: 'day', rate_minor: 28.34 },
    ],
  },
  bill: {
    from: '2026-03-28',
    to: '2026-03-29',
    total_minor: 1_085,
    lines: [
      { kind: 'energy', name: 'night', quantity: 1.68, rate: 9.5, amount_minor: 16 },
      { kind: 'energy', name: 'day', quantity: 26.84, rate: 35.84, amount_minor: 962 },
      { kind: 'standing', quantity: 2, rate: 53.37, amount_minor: 107 },
    ],
  },
  readings: readingsOf('2026-03-28', 0).concat(readingsOf('2026-03-29', 2)),
}

/** The same without the readings of its last evening. */
export const unreadEnergyopsInput: EnergyopsInput = {
  ...energyopsInput,
  readings: energyopsInput.readings.slice(0, -8),
}

/** A day's readings; on the day of the change there is none from 01:00 to 02:00. */
function readingsOf(day: string, skipped: number): EnergyopsInput['readings'] {
  const slots = Array.from({ length: 48 }, (_, slot) => slot).filter(
    (slot) => skipped === 0 || slot < 2 || slot >= 2 + skipped,
  )
  return slots.map((slot) => {
    const clock = `${String(slot >> 1).padStart(2, '0')}:${slot % 2 === 0 ? '00' : '30'}`
    return { at: `${day}T${clock}`, value: valueIn(slot) }
  })
}

/** The use in a half hour of a day: lowest at night, highest in the evening. */
function valueIn(slot: number): number {
  if (slot < 14) return 0.12
  return slot < 34 ? 0.25 : 0.55
}
