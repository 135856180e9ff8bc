import { z } from 'zod'
import { Currency, oneLine } from '../input/names.ts'
import { Decimal, DecimalText, decimalOf, MINOR_MAX } from '../values/amounts.ts'
import { ExchangeRate } from '../values/exchange.ts'
import { CitationShape } from '../work/notes.ts'
import { listNames } from './listed/index.ts'
import { type Counted, type Meter, meterNames, meters, priceFields } from './meters.ts'

/** Places of a price per token in whole units, such as dollars. */
export const PER_TOKEN_PLACES = 16

const Tokens = z.int().min(0).max(1_000_000_000)
const PerMillion = Decimal.refine((value) => Number(value) >= 0, 'is below zero')
const PerToken = decimalOf(PER_TOKEN_PLACES, { min: 0 }).refine(
  (value) => Number(value) <= 1_000,
  'is above 1000',
)
/** A price for one search, or LiteLLM's prices by the size of what is searched, which count where they are one. */
const PerSearch = z.union([PerToken, z.record(oneLine(64), PerToken)])
const Uplift = decimalOf(2, { min: 0 }).refine((value) => Number(value) <= 10, 'is above 10')
const Name = oneLine(128)

type PriceShape = {
  [M in Meter as (typeof meters)[M]['minor']]: z.ZodOptional<typeof PerMillion>
} & {
  [M in Meter as (typeof meters)[M]['whole']]: z.ZodOptional<
    M extends 'searches' ? typeof PerSearch : typeof PerToken
  >
}
const prices = Object.fromEntries(
  meterNames.flatMap((meter) => {
    const { minor, whole, side } = meters[meter]
    return [
      [minor, PerMillion.optional()],
      [whole, (side === null ? PerSearch : PerToken).optional()],
    ]
  }),
) as PriceShape

/**
 * Minor units (cents) for a million tokens, or whole units (dollars) for one by the names of LiteLLM's price map. Each of these
 * fields has variants: for prompts above a length (`input_cost_per_token_above_200k_tokens`) and for a service
 * (`batch_input_per_million_minor`, `input_cost_per_token_flex`).
 */
const PriceRow = z
  .object({
    model: Name,
    ...prices,
    /** The currency of the price; without it, the one of the result. */
    currency: Currency.optional(),
    /** The first and the last day on which the price holds, both counted. */
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    /** For a region of the usage, by what its prices for tokens are multiplied. */
    regional_uplift: z.record(oneLine(64), Uplift).optional(),
  })
  .catchall(z.unknown())
  .superRefine((row, context) => {
    const names = Object.keys(row).filter((name) => !priceRowFields.has(name))
    const unknown = names.filter((name) => !priceFields.has(name))
    if (unknown.length > 0)
      context.addIssue({ code: 'unrecognized_keys', keys: unknown, input: row })
    for (const name of names) {
      const schema = priceFields.get(name)?.unit === 'minor' ? PerMillion : PerToken
      const read = schema.safeParse(row[name])
      for (const { message } of read.error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [name], message, input: row[name] })
    }
    const { input, output } = meters
    const stated = Object.keys(row).flatMap((name) => priceFields.get(name)?.unit ?? [])
    const whole = Object.hasOwn(row, input.minor) ? 'minor' : 'whole'
    const both = Object.hasOwn(row, input[whole]) && Object.hasOwn(row, output[whole])
    if (!both || stated.some((unit) => unit !== whole))
      context.addIssue({
        code: 'custom',
        message: 'states input and output either for a million tokens or for one token',
        input: row,
      })
  })
const priceRowFields = new Set(Object.keys(PriceRow.shape))

const CachedTokens = z.enum(['included', 'separate'])

/** A period counts both of its days, in UTC. */
export const TokenopsHead = z.strictObject({
  price_table: z.array(PriceRow).max(5_000),
  /** A dated list of prices for the models that the price table does not have. */
  listed_prices: z.enum(listNames).optional(),
  /** The currency of the result. */
  currency: Currency.optional(),
  exchange_rates: z.array(ExchangeRate).max(5_000).optional(),
  /** Names in the usage that stand for a model of the price table. */
  aliases: z
    .array(z.strictObject({ name: Name, model: Name }))
    .max(5_000)
    .optional(),
  /** Whether `input_tokens` includes cached and cache-write tokens (the default), or these are counted apart. */
  cached_tokens: CachedTokens.optional(),
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
/** Counts that are parts of the input or the output, but for `searches`. */
const counts = Object.fromEntries(
  meterNames.map((meter) => [meters[meter].counted, Tokens.optional()]),
) as Record<Counted, z.ZodOptional<typeof Tokens>>
export const UsageRow = z.strictObject({
  at: RowTime,
  model: Name,
  ...counts,
  input_tokens: Tokens,
  output_tokens: Tokens,
  /** Whether `input_tokens` includes cached and cache-write tokens; without it, as the input says for all rows. */
  cached_tokens: CachedTokens.optional(),
  /** How many requests the row counts, 0 where the number is not known; one where it does not say. */
  requests: Tokens.optional(),
  /** How many tokens each prompt has, where the row counts several requests. */
  prompt_length: Tokens.optional(),
  /** Such as `batch`, `flex` or `priority`; `default` and `standard` are the plain one. */
  service: z.string().max(64).optional(),
  batch: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
  /** Where the request was processed, for prices with a regional uplift. */
  region: oneLine(64).optional(),
  /** What was billed for the row, in whole units of the currency of the row, or else of the result. */
  billed: decimalOf(30).optional(),
  billed_currency: Currency.optional(),
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
  request_id: oneLine(256).nullish(),
  startTime: RowTime,
  model: Name,
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  cache_read_input_tokens: Tokens.optional(),
  cache_creation_input_tokens: Tokens.optional(),
  reasoning_tokens: Tokens.optional(),
  /** What the proxy stores of a request, an object or its text: the cached tokens are counted in it where no column has them. */
  metadata: z.union([z.record(z.string(), z.unknown()), z.string().max(100_000)]).nullish(),
  /** US dollars. */
  spend: decimalOf(30, { min: 0 }).optional(),
  call_type: z.string().max(128).nullish(),
  cache_hit: z.union([z.boolean(), z.string().max(16)]).nullish(),
  user: z.string().max(128).nullish(),
  end_user: z.string().max(128).nullish(),
  team_id: z.string().max(128).nullish(),
  request_tags: z.union([z.array(z.string().max(256)).max(64), z.string().max(2_000)]).nullish(),
})

/** A charge by the FOCUS specification; the model is read from `x_Model`, `ResourceName` or `SkuId`, the kind of token from `SkuMeter` or `ChargeDescription`. */
export const FocusRow = z.looseObject({
  ChargePeriodStart: RowTime,
  BilledCost: decimalOf(30),
  BillingCurrency: Currency,
  ChargeCategory: z.string().max(64).nullish(),
  ServiceCategory: z.string().max(64).nullish(),
  ConsumedQuantity: decimalOf(18).optional(),
  ConsumedUnit: z.string().max(64).nullish(),
  SkuMeter: z.string().max(256).nullish(),
  ChargeDescription: z.string().max(1_000).nullish(),
  SkuId: z.string().max(128).nullish(),
  ResourceName: z.string().max(128).nullish(),
  x_Model: z.string().max(128).nullish(),
  SubAccountName: z.string().max(128).nullish(),
  Tags: Tags.nullish(),
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
  /** Counts for which the price of their model has no field; they are in no sum. */
  unpriced_counts: z.array(
    z.strictObject({
      model: z.string(),
      meter: z.enum(meterNames),
      /** Empty for the standard one. */
      service: z.string(),
      rows: z.int(),
      count: z.int(),
      ...cited,
    }),
  ),
  /** What is billed for a model next to what its tokens cost by the price table: its rows that state both, and all where it has charges apart. */
  billed: z.array(
    z.strictObject({
      /** Null for the whole bill, where some of it names no model. */
      model: z.string().nullable(),
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
    /** Rows of the period whose cost is not wholly in a sum. */
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
