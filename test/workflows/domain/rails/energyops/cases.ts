import type { RailCases } from '../cases.ts'
import { pick, type Roll, upTo } from '../dice.ts'
import { money } from '../money.ts'
import { meterYear } from './readings.ts'

export const cases: RailCases = {
  declared: [false, true, true, 'current', true, false, [149, 299, 499]],
  figures: ({ verdict, billed_minor, recomputed_minor, difference_minor, intervals }) => ({
    Verdict: verdict,
    Billed: money(billed_minor, 'GBP'),
    Recomputed: money(recomputed_minor, 'GBP'),
    'Billed less recomputed': money(difference_minor, 'GBP'),
    'Least with missing intervals': 'none',
    'Estimate with missing intervals': 'none',
    'Most with missing intervals': 'none',
    'Intervals expected': intervals.expected,
    'Intervals counted': intervals.counted,
  }),
  planted: {
    energy_conserved: (result) => {
      result.energy_by_band[1].energy = '99'
    },
    lines_multiply: (result) => {
      result.line_items[0].amount_minor = '1'
    },
    blocks_fill: (result) => {
      result.line_items[0].quantity = '1.5'
    },
    bill_adds_up: (result) => {
      result.recomputed_minor += 1
    },
    bill_lines_add_up: (result) => {
      result.bill_lines[0].difference_minor += 1
    },
    intervals_counted: (result) => {
      result.intervals.expected += 2
    },
    range_is_ordered: (result) => {
      const order = { lowest_minor: 900, estimated_minor: 880, highest_minor: 910 }
      result.range = { method: 'mean_of_same_hour', intervals: 1, ...order }
    },
    verdict_follows: (result) => {
      result.verdict = result.verdict === 'agrees' ? 'overbilled' : 'agrees'
    },
  },
  input: energy,
  larger: () => [meterYear(31)],
}

function energy(roll: Roll): unknown {
  const { readings, ...head } = meterYear(1 + upTo(3, roll))
  const touched = readings.flatMap((reading) => {
    if (roll() < 0.02) return []
    if (roll() < 0.02) return [reading, { ...reading, value: pick([reading.value, -1, 999], roll) }]
    return [reading]
  })
  return { ...head, readings: touched }
}
