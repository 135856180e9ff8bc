import type { TokenopsInput } from './schema.ts'

const day = (date: number, hour = 9) =>
  `2026-03-${String(date).padStart(2, '0')}T${String(hour).padStart(2, '0')}:15:00Z`

/** Two agents of a support team in the first ten days of March 2026: one day that runs away, one model without a price. */
export const tokenopsInput: TokenopsInput = {
  price_table: [
    { model: 'atlas-large', input_per_million_minor: 300, output_per_million_minor: 1500 },
    { model: 'atlas-small', input_per_million_minor: 7.5, output_per_million_minor: 30 },
  ],
  currency: 'USD',
  budget_minor: 2_000,
  period: { from: '2026-03-01', to: '2026-03-31' },
  usage: [
    {
      at: day(1),
      model: 'atlas-large',
      input_tokens: 120_000,
      output_tokens: 8_000,
      agent: 'triage',
      task: 'inbox',
    },
    {
      at: day(2),
      model: 'atlas-large',
      input_tokens: 131_000,
      output_tokens: 9_200,
      agent: 'triage',
      task: 'inbox',
    },
    {
      at: day(3),
      model: 'atlas-large',
      input_tokens: 118_500,
      output_tokens: 7_900,
      agent: 'triage',
      task: 'inbox',
    },
    {
      at: day(4),
      model: 'atlas-large',
      input_tokens: 125_300,
      output_tokens: 8_450,
      agent: 'triage',
      task: 'inbox',
    },
    {
      at: day(5),
      model: 'atlas-large',
      input_tokens: 122_700,
      output_tokens: 8_100,
      agent: 'triage',
      task: 'inbox',
    },
    {
      at: day(6),
      model: 'atlas-large',
      input_tokens: 1_940_000,
      output_tokens: 96_000,
      agent: 'triage',
      task: 'backlog',
    },
    {
      at: day(7),
      model: 'atlas-large',
      input_tokens: 127_100,
      output_tokens: 8_600,
      agent: 'triage',
      task: 'inbox',
    },
    {
      at: day(8),
      model: 'atlas-large',
      input_tokens: 119_900,
      output_tokens: 8_050,
      agent: 'triage',
      task: 'inbox',
    },
    {
      at: day(8, 14),
      model: 'atlas-small',
      input_tokens: 400_000,
      output_tokens: 22_000,
      agent: 'tagger',
    },
    {
      at: day(9),
      model: 'atlas-small',
      input_tokens: 410_000,
      output_tokens: 21_000,
      agent: 'tagger',
    },
    {
      at: day(10),
      model: 'atlas-preview',
      input_tokens: 55_000,
      output_tokens: 4_000,
      agent: 'tagger',
    },
  ],
}
