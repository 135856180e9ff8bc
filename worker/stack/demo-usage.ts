import type { TokenopsInput } from '#domain/rails/tokenops/index.ts'

const price_table = [
  { model: 'atlas-large', input_per_million_minor: 300, output_per_million_minor: 1500 },
  { model: 'atlas-small', input_per_million_minor: 7.5, output_per_million_minor: 30 },
]
const agents = ['triage', 'drafting']
const days = Array.from({ length: 30 }, (_, day) => `2026-11-${String(day + 1).padStart(2, '0')}`)

/** Model usage of two agents in November 2026, the same each time: an input of the rail tokenops with nothing missing. */
export const demoUsage: TokenopsInput = {
  price_table,
  budget_minor: 30_000,
  period: { from: '2026-11-01', to: '2026-11-30' },
  usage: days.flatMap((date, day) =>
    price_table.flatMap(({ model }, which) =>
      agents.map((agent, who) => ({
        at: `${date}T1${who}:15:00Z`,
        model,
        input_tokens: 100_000 + ((day * 7 + which * 3 + who) % 10) * 4_000,
        output_tokens: 8_000 + ((day * 3 + which + who) % 7) * 500,
        agent,
        task: 'inbox',
      })),
    ),
  ),
}
