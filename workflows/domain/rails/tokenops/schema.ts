import { z } from 'zod'
import { Currency, oneLine } from '../input/names.ts'
import { Decimal, DecimalText, decimalOf, MINOR_MAX } from '../values/amounts.ts'
import { ExchangeRate } from '../values/exchange.ts'
import { CitationShape } from '../work/notes.ts'

/** Places of a price per token in whole units, such as dollars. */
export const PER_TOKEN_PLACES = 16

const Tokens = z.int().min(0).max(1_000_000_000)
const PerMillion = Decimal.refine((value) => Number(value) >= 0, 'is below zero')
const PerToken = decimalOf(PER_TOKEN_PLACES, { min: 0 }).refine(
  (value) => Number(value) <= 1_000,
  'is above 1000',
)
const Name = oneLine(128)

/** Minor units (cents) for a million tokens. What is left out costs what plain input or output costs. */
const perMillion = {
  input_per_million_minor: PerMillion.optional(),
  output_per_million_minor: PerMillion.optional(),
  cached_input_per_million_minor: PerMillion.optional(),
  cache_write_per_million_minor: PerMillion.optional(),
  image_per_million_minor: PerMillion.optional(),
  reasoning_per_million_minor: PerMillion.optional(),
  batch_input_per_million_minor: PerMillion.optional(),
  batch_output_per_million_minor: PerMillion.optional(),
}
/** Whole units (dollars) for one token, by the names of LiteLLM's price map. */
const perToken = {
  input_cost_per_token: PerToken.optional(),
  output_cost_per_token: PerToken.optional(),
  cache_read_input_token_cost: PerToken.optional(),
  cache_creation_input_token_cost: PerToken.optional(),
  input_cost_per_image_token: PerToken.optional(),
  output_cost_per_reasoning_token: PerToken.optional(),
  input_cost_per_token_batches: PerToken.optional(),
  output_cost_per_token_batches: PerToken.optional(),
}
const PriceRow = z
  .strictObject({
    model: Name,
    ...perMillion,
    ...perToken,
    /** The currency of the price; without it, the one of the result. */
    currency: Currency.optional(),
    /** The first and the last day on which the price holds, both counted. */
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
  })
  .refine((row) => {
    const million = Object.keys(row).some((name) => Object.hasOwn(perMillion, name))
    const token = Object.keys(row).some((name) => Object.hasOwn(perToken, name))
    const whole = million
      ? row.input_per_million_minor !== undefined && row.output_per_million_minor !== undefined
      : row.input_cost_per_token !== undefined && row.output_cost_per_token !== undefined
    return million !== token && whole
  }, 'states input and output either for a million tokens or for one token')

/** A period counts both of its days, in UTC. */
export const TokenopsHead = z.strictObject({
  price_table: z.array(PriceRow).max(5_000),
  /** The currency of the result. */
  currency: Currency.optional(),
  exchange_rates: z.array(ExchangeRate).max(5_000).optional(),
  /** Names in the usage that stand for a model of the price table. */
  aliases: z
    .array(z.strictObject({ name: Name, model: Name }))
    .max(5_000)
    .optional(),
  /** Whether `input_tokens` includes cached and cache-write tokens (the default), or these are counted apart. */
  cached_tokens: z.enum(['included', 'separate']).optional(),
  /** Cheaper models to compare with; without them, cheaper ones of the same family are taken from the price table. */
  alternatives: z
    .array(z.strictObject({ model: Name, instead: Name }))
    .max(1_000)
    .optional(),
  /** The share of uncached input that is assumed to be cacheable; 50 where none is given. */
  cacheable_percent: z.int().min(0).max(100).optional(),
  budget_minor: z.int().min(0).max(MINOR_MAX).optional(),
  period: z
    .strictObject({ from: z.iso.date(), to: z.iso.date() })
    .refine(({ from, to }) => from <= to, 'ends before it begins')
    .optional(),
})

const clockTime =
  /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?$/
/** A day, or an instant as RFC 3339 or with a blank for the T; UTC where no offset is given. */
const RowTime = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date(), z.string().regex(clockTime)])
  .refine((text) => !Number.isNaN(Date.parse(rfc3339Of(text))), 'is no day or instant')

/** `2026-06-28 03:46` → `2026-06-28T03:46Z`. */
export function rfc3339Of(text: string): string {
  const [, day, time, zone = 'Z'] = clockTime.exec(text.replace('T', ' ')) ?? []
  return day === undefined ? text : `${day}T${time}${zone === 'UTC' ? 'Z' : zone}`
}

const Tags = z.union([z.record(oneLine(64), oneLine(256)), z.string().max(2_000)])
export const UsageRow = z.strictObject({
  at: RowTime,
  model: Name,
  input_tokens: Tokens,
  output_tokens: Tokens,
  cached_input_tokens: Tokens.optional(),
  cache_write_tokens: Tokens.optional(),
  image_tokens: Tokens.optional(),
  /** Part of `output_tokens`. */
  reasoning_tokens: Tokens.optional(),
  batch: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
  /** Rows of one id that say the same count once. */
  request_id: oneLine(256).optional(),
  agent: Name.optional(),
  task: Name.optional(),
  customer: Name.optional(),
  /** An object, its JSON text, or `team=search;env=prod`. */
  tags: Tags.optional(),
})

/** A row of LiteLLM's spend logs; other columns are left unread. */
export const LitellmRow = z.looseObject({
  request_id: oneLine(256).optional(),
  startTime: RowTime,
  model: Name,
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  cache_read_input_tokens: Tokens.optional(),
  cache_creation_input_tokens: Tokens.optional(),
  reasoning_tokens: Tokens.optional(),
  /** What the proxy stores of a request, an object or its text: the cached tokens are counted in it where no column has them. */
  metadata: z.union([z.record(z.string(), z.unknown()), z.string().max(100_000)]).optional(),
  /** US dollars. */
  spend: decimalOf(30, { min: 0 }).optional(),
  call_type: z.string().max(128).optional(),
  cache_hit: z.union([z.boolean(), z.string().max(16)]).optional(),
  user: z.string().max(128).optional(),
  end_user: z.string().max(128).optional(),
  team_id: z.string().max(128).optional(),
  request_tags: z.union([z.array(z.string().max(256)).max(64), z.string().max(2_000)]).optional(),
})

/** A charge by the FOCUS specification; the model is read from `x_Model`, `ResourceName` or `SkuId`, the kind of token from `SkuMeter`. */
export const FocusRow = z.looseObject({
  ChargePeriodStart: RowTime,
  BilledCost: decimalOf(30),
  BillingCurrency: Currency,
  ChargeCategory: z.string().max(64).optional(),
  ServiceCategory: z.string().max(64).optional(),
  ConsumedQuantity: decimalOf(18).optional(),
  ConsumedUnit: z.string().max(64).optional(),
  SkuMeter: z.string().max(256).optional(),
  SkuId: z.string().max(128).optional(),
  ResourceName: z.string().max(128).optional(),
  x_Model: z.string().max(128).optional(),
  SubAccountName: z.string().max(128).optional(),
  Tags: Tags.optional(),
})

const cited = { citations: z.array(CitationShape) }
const costs = {
  rows: z.int(),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  cost_minor: DecimalText,
  /** Cost divided by rows, six places, half away from zero. */
  cost_per_row_minor: DecimalText,
  ...cited,
}

/** Costs are exact decimal texts of minor units: they are not rounded, and the parts sum to the total. */
export const TokenopsResult = z.strictObject({
  currency: z.string().nullable(),
  total_cost_minor: DecimalText,
  cost_by_model: z.array(z.strictObject({ model: z.string(), ...costs })),
  /** `agent` is null for the rows that name none. */
  cost_by_agent: z.array(z.strictObject({ agent: z.string().nullable(), ...costs })),
  cost_by_day: z.array(z.strictObject({ day: z.string(), ...costs })),
  /** The dearest tasks, customers and tags, of those that rows name. */
  cost_by_task: z.array(z.strictObject({ task: z.string(), ...costs })),
  cost_by_customer: z.array(z.strictObject({ customer: z.string(), ...costs })),
  cost_by_tag: z.array(z.strictObject({ tag: z.string(), value: z.string(), ...costs })),
  /** The mean cost of a unit, over the rows that name one; null where there are too many to count. */
  unit_costs: z.array(
    z.strictObject({
      unit: z.enum(['row', 'agent', 'task', 'customer']),
      units: z.int().nullable(),
      cost_minor: DecimalText.nullable(),
      cost_per_unit_minor: DecimalText.nullable(),
    }),
  ),
  /** Names that are not in the price table as they are written, and why they were priced as another. */
  model_names: z.array(
    z.strictObject({
      name: z.string(),
      priced_as: z.string(),
      by: z.enum(['alias', 'spelling', 'version']),
      rows: z.int(),
      ...cited,
    }),
  ),
  /** Rows of a request id that say what an earlier one says; they are in no sum. */
  duplicates: z.strictObject({ rows: z.int(), ...cited }),
  unpriced: z.array(
    z.strictObject({
      model: z.string(),
      reason: z.enum([
        'not_in_price_table',
        'prices_differ',
        'no_price_on_day',
        'no_exchange_rate',
        'ambiguous_name',
      ]),
      rows: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      ...cited,
    }),
  ),
  /** What the rows state as billed next to what their tokens cost by the price table, for rows that have both. */
  billed: z.array(
    z.strictObject({
      model: z.string(),
      rows: z.int(),
      billed_minor: DecimalText,
      cost_minor: DecimalText,
      difference_minor: DecimalText,
      ...cited,
    }),
  ),
  /** What the same usage would have cost less, each under its assumption; savings of a model are alternatives and do not add up. */
  savings: z.array(
    z.strictObject({
      kind: z.enum(['cheaper_model', 'caching']),
      model: z.string(),
      instead: z.string().nullable(),
      cost_minor: DecimalText,
      would_cost_minor: DecimalText,
      saving_minor: DecimalText,
      assumption: z.string(),
    }),
  ),
  /** Highest score first: single rows among those of their model, and days of an agent among its days. */
  anomalies: z.array(
    z.strictObject({
      kind: z.enum(['row', 'agent_day']),
      model: z.string().nullable(),
      agent: z.string().nullable(),
      day: z.string().nullable(),
      cost_minor: DecimalText,
      /** The distance from the median in that of the limit, both of logarithms: above 1 is unusual. */
      score: z.number(),
      /** Cost divided by the median. */
      times_median: z.number(),
      ...cited,
    }),
  ),
  budget_state: z.strictObject({
    /** `unknown`: the priced rows are within the budget, and others are unpriced. */
    state: z.enum(['no_budget', 'within', 'at_risk', 'exceeded', 'unknown']),
    budget_minor: z.int().nullable(),
    period: z.strictObject({ from: z.string(), to: z.string(), days: z.int() }).nullable(),
    /** Days of the period up to the last day with usage. */
    days_elapsed: z.int(),
    spent_minor: DecimalText,
    /** Rows of the period whose cost is in no sum. */
    unpriced_rows: z.int(),
    used_percent: z.number().nullable(),
    /** What is left of the budget, below zero when it is exceeded. */
    remaining_minor: DecimalText.nullable(),
    /** Spent per elapsed day times the days of the period, half away from zero; null where it is beyond whole JSON numbers. */
    forecast_minor: z.int().nullable(),
    /** The day of the period on which the budget is used up, as it happened or at the present rate. */
    exhausted_on: z.string().nullable(),
  }),
})

export type TokenopsHead = z.infer<typeof TokenopsHead>
export type UsageRow = z.infer<typeof UsageRow>
export type LitellmRow = z.infer<typeof LitellmRow>
export type FocusRow = z.infer<typeof FocusRow>
export type TokenopsResult = z.infer<typeof TokenopsResult>
export type TokenopsInput = TokenopsHead & {
  usage: UsageRow[]
  litellm?: LitellmRow[]
  focus?: FocusRow[]
}
