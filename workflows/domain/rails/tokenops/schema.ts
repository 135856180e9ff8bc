import { z } from 'zod'
import { Decimal, DecimalText, MINOR_MAX } from '../amounts.ts'
import { oneLine } from '../names.ts'
import { CitationShape } from '../notes.ts'

const Tokens = z.int().min(0).max(1_000_000_000)
const Price = Decimal.refine((value) => Number(value) >= 0, 'is below zero')

/** Prices are minor units for a million tokens, of at most six places. A period counts both of its days, in UTC. */
export const TokenopsHead = z.strictObject({
  price_table: z
    .array(
      z.strictObject({
        model: oneLine(128),
        input_per_million_minor: Price,
        output_per_million_minor: Price,
      }),
    )
    .max(5_000),
  budget_minor: z.int().min(0).max(MINOR_MAX).optional(),
  period: z
    .strictObject({ from: z.iso.date(), to: z.iso.date() })
    .refine(({ from, to }) => from <= to, 'ends before it begins')
    .optional(),
})
export const UsageRow = z.strictObject({
  at: z.iso.datetime(),
  model: oneLine(128),
  input_tokens: Tokens,
  output_tokens: Tokens,
  agent: oneLine(128).optional(),
  task: oneLine(128).optional(),
})

const costs = {
  rows: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_minor: DecimalText,
}
const cited = { citations: z.array(CitationShape) }
const Score = z.number()

/** Costs are exact decimal texts of minor units: they are not rounded, and the parts sum to the total. */
export const TokenopsResult = z.strictObject({
  total_cost_minor: DecimalText,
  cost_by_model: z.array(z.strictObject({ model: z.string(), ...costs, ...cited })),
  /** `agent` is null for the rows that name none. */
  cost_by_agent: z.array(z.strictObject({ agent: z.string().nullable(), ...costs, ...cited })),
  cost_by_day: z.array(z.strictObject({ day: z.string(), ...costs, ...cited })),
  unpriced: z.array(
    z.strictObject({
      model: z.string(),
      reason: z.enum(['not_in_price_table', 'prices_differ']),
      rows: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      ...cited,
    }),
  ),
  /** Dearest by score first: single rows among those of their model, and days of an agent among its days. */
  anomalies: z.array(
    z.strictObject({
      kind: z.enum(['row', 'agent_day']),
      model: z.string().nullable(),
      agent: z.string().nullable(),
      day: z.string().nullable(),
      cost_minor: DecimalText,
      score: Score,
      ...cited,
    }),
  ),
  budget_state: z.strictObject({
    state: z.enum(['no_budget', 'within', 'at_risk', 'exceeded']),
    budget_minor: z.int().nullable(),
    period: z.strictObject({ from: z.string(), to: z.string(), days: z.int() }).nullable(),
    /** Days of the period up to the last day with usage. */
    days_elapsed: z.int(),
    spent_minor: DecimalText,
    used_percent: z.number().nullable(),
    /** What is left of the budget, below zero when it is exceeded. */
    remaining_minor: DecimalText.nullable(),
    /** Spent per elapsed day times the days of the period, half away from zero. */
    forecast_minor: z.int().nullable(),
    /** The day on which the budget is used up, as it happened or at the present rate. */
    exhausted_on: z.string().nullable(),
  }),
})

export type TokenopsHead = z.infer<typeof TokenopsHead>
export type UsageRow = z.infer<typeof UsageRow>
export type TokenopsResult = z.infer<typeof TokenopsResult>
export type TokenopsInput = TokenopsHead & { usage: UsageRow[] }
