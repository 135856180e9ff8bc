import type { EnergyopsInput } from '#domain/rails/energyops/schema.ts'
import { dice } from '../dice.ts'

const QUARTER_MS = 900_000
const summerBegins = Date.UTC(2025, 2, 30, 1)
const summerEnds = Date.UTC(2025, 9, 26, 1)

/**
 * Quarter-hour readings of a small workshop in London, in UTC: all of 2025 with both days on which the clocks change, or so many
 * days from the first of March, with the day in spring. Three bands of local time: night, weekend, day.
 */
export function meterYear(days?: number): EnergyopsInput {
  const roll = dice(31)
  const start = days === undefined ? Date.UTC(2025, 0, 1) : Date.UTC(2025, 2, 1)
  const readings = Array.from({ length: (days ?? 365) * 96 }, (_, index) => {
    const instant = start + index * QUARTER_MS
    // A workshop keeps the hours of the clock on its wall.
    const hour = new Date(
      instant + (summerBegins <= instant && instant < summerEnds ? 4 * QUARTER_MS : 0),
    ).getUTCHours()
    let usual = 0.4
    if (hour < 6) usual = 0.08
    else if (hour < 17) usual = 0.9
    const at = `${new Date(instant).toISOString().slice(0, 19)}Z`
    return { at, value: Math.round(1_000 * usual * (0.6 + 0.8 * roll())) / 1_000 }
  })
  return {
    meter: { id: 'workshop-7', unit: 'kWh', interval_minutes: 15, time_zone: 'Europe/London' },
    tariff: {
      currency: 'GBP',
      standing_per_day: '61.3',
      bands: [
        { name: 'night', rate_minor: 12.725, from: '23:00', to: '06:00' },
        { name: 'weekend', rate_minor: 24.1, days: ['sat', 'sun'] },
        { name: 'day', rate_minor: '29.876543' },
      ],
    },
    bill: { from: '2025-01-01', to: '2025-12-31', total_minor: 500_000 },
    readings,
  }
}
