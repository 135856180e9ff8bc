import type { RailCases } from '../cases.ts'
import { maybe, type Roll, shuffled, some, upTo } from '../dice.ts'
import { registry, tasks } from './registry.ts'

export const cases: RailCases = {
  declared: [false, false, false, 'current', false, false, [0, 0, 0]],
  figures: ({ ranked, excluded, needs, missing, registry_size }) => ({
    'Services ranked': ranked.length,
    'Services excluded': excluded.length,
    'Parts of the task': needs.length,
    'Parts that no service meets': missing.length,
    'Services considered': registry_size,
  }),
  planted: {
    scores_recomputed: (result) => {
      result.ranked[0].score = 0.99
    },
    services_once: (result) => {
      result.excluded = []
    },
    order_kept: (result) => {
      result.ranked.reverse()
    },
    matches_recomputed: (result) => {
      result.ranked[0].reasons[0].match = 'weak'
    },
    constraints_kept: (result) => {
      result.ranked[0].price_usd = 100_000
    },
    needs_named: (result) => {
      result.missing = []
    },
  },
  input: scouting,
  larger: () => tasks.map(([task]) => ({ task, registry })),
}

function scouting(roll: Roll): unknown {
  const task = some(
    tasks.map(([text]) => text),
    3,
    roll,
  ).join(', ')
  return {
    task,
    registry: shuffled(registry, roll).slice(0, 1 + upTo(registry.length - 1, roll)),
    ...maybe(roll, { limit: 1 + upTo(24, roll) }),
  }
}
