/**
 * What is counted and has a price of its own: the field of a usage row that counts it, and the fields of the price table, in minor
 * units for a million tokens (a thousand searches) or in whole units for one, by the names of LiteLLM's price map. No token is in two.
 */
export const meters = {
  input: {
    counted: 'input_tokens',
    side: 'input',
    minor: 'input_per_million_minor',
    whole: 'input_cost_per_token',
  },
  cached: {
    counted: 'cached_input_tokens',
    side: 'input',
    minor: 'cached_input_per_million_minor',
    whole: 'cache_read_input_token_cost',
  },
  write: {
    counted: 'cache_write_tokens',
    side: 'input',
    minor: 'cache_write_per_million_minor',
    whole: 'cache_creation_input_token_cost',
  },
  write_1h: {
    counted: 'cache_write_1h_tokens',
    side: 'input',
    minor: 'cache_write_1h_per_million_minor',
    whole: 'cache_creation_input_token_cost_above_1hr',
  },
  image: {
    counted: 'image_tokens',
    side: 'input',
    minor: 'image_per_million_minor',
    whole: 'input_cost_per_image_token',
  },
  audio: {
    counted: 'audio_input_tokens',
    side: 'input',
    minor: 'audio_input_per_million_minor',
    whole: 'input_cost_per_audio_token',
  },
  output: {
    counted: 'output_tokens',
    side: 'output',
    minor: 'output_per_million_minor',
    whole: 'output_cost_per_token',
  },
  reasoning: {
    counted: 'reasoning_tokens',
    side: 'output',
    minor: 'reasoning_per_million_minor',
    whole: 'output_cost_per_reasoning_token',
  },
  image_output: {
    counted: 'image_output_tokens',
    side: 'output',
    minor: 'image_output_per_million_minor',
    whole: 'output_cost_per_image_token',
  },
  audio_output: {
    counted: 'audio_output_tokens',
    side: 'output',
    minor: 'audio_output_per_million_minor',
    whole: 'output_cost_per_audio_token',
  },
  searches: {
    counted: 'searches',
    side: null,
    minor: 'searches_per_thousand_minor',
    whole: 'search_context_cost_per_query',
  },
} as const

export type Meter = keyof typeof meters
export type Counted = (typeof meters)[Meter]['counted']
export const meterNames = Object.keys(meters) as Meter[]
export type Counts = Record<Meter, number>

/** A price for each meter, by a function. */
export const byMeter = <Value>(make: (meter: Meter) => Value): Record<Meter, Value> =>
  Object.fromEntries(meterNames.map((meter) => [meter, make(meter)])) as Record<Meter, Value>

export const noCounts: Readonly<Counts> = byMeter(() => 0)
const sides = (side: 'input' | 'output') =>
  meterNames.filter((meter) => meters[meter].side === side)
const [inputs, outputs] = [sides('input'), sides('output')]
const sumOf = (counts: Counts, own: readonly Meter[]) => {
  let sum = 0
  for (const meter of own) sum += counts[meter]
  return sum
}
export const inputOf = (counts: Counts): number => sumOf(counts, inputs)
export const outputOf = (counts: Counts): number => sumOf(counts, outputs)

/** Services whose prices differ from the standard one: the beginning of a field in minor units, the end of one of LiteLLM's. */
const services = {
  '': ['', ''],
  batch: ['batch_', '_batches'],
  flex: ['flex_', '_flex'],
  priority: ['priority_', '_priority'],
} as const
/** Prompts above so many thousand tokens have a price of their own; 0 stands for all others. */
const tiers = [0, 32, 100, 128, 200, 256, 272, 512]
const TIER_TOKENS = 1_000

/** What a price field says: the meter, the prompts (in tokens) above which it holds, and the service. */
export type PriceField = { meter: Meter; above: number; service: string; unit: 'minor' | 'whole' }

/** Every field of a price row. */
export const priceFields: ReadonlyMap<string, PriceField> = new Map(
  meterNames.flatMap((meter) => {
    const { minor, whole, side } = meters[meter]
    const own = { meter, above: 0, service: '' }
    if (side === null)
      return [
        [minor, { ...own, unit: 'minor' }],
        [whole, { ...own, unit: 'whole' }],
      ] as [string, PriceField][]
    return Object.entries(services).flatMap(([service, [before, after]]) =>
      tiers.flatMap((tier): [string, PriceField][] => {
        const longer = tier === 0 ? '' : `_above_${tier}k_tokens`
        const field = { meter, above: tier * TIER_TOKENS, service }
        return [
          [`${before}${minor}${longer}`, { ...field, unit: 'minor' }],
          [`${whole}${longer}${after}`, { ...field, unit: 'whole' }],
        ]
      }),
    )
  }),
)

const SERVICE_NAMES: Readonly<Record<string, string>> = {
  default: '',
  standard: '',
  auto: '',
  batches: 'batch',
}

/** A service as the price table has it, from what an export calls it. */
export function serviceOf(name: string): string {
  const plain = name.trim().toLowerCase()
  return SERVICE_NAMES[plain] ?? plain
}
