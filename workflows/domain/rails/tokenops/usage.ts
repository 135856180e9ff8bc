import { scaled } from '../values/amounts.ts'
import { minorPlaces } from '../values/exchange.ts'
import {
  type FocusRow,
  type LitellmRow,
  rfc3339Of,
  type TokenopsHead,
  type UsageRow,
} from './schema.ts'

/** Billed amounts are read to this many places of a minor unit, cut off there. */
export const BILLED_PLACES = 12
export const tokenKinds = ['input', 'cached', 'write', 'image', 'output', 'reasoning'] as const
export type TokenKind = (typeof tokenKinds)[number]
/** Tokens by kind, no token in two of them. */
export type Tokens = Record<TokenKind, number>

export const usageLists = ['usage', 'litellm', 'focus'] as const
export type UsageList = (typeof usageLists)[number]
type Tag = readonly [name: string, value: string]

/** A row of any list, read. */
export type Usage = {
  at: string
  day: string
  model: string
  tokens: Tokens
  batch: boolean
  /** Answered from a cache of answers: the tokens were not bought. */
  free: boolean
  /** The parts were more than the whole, and are taken as they are. */
  parts: boolean
  agent: string | undefined
  task: string | undefined
  customer: string | undefined
  /** Null where the text of the tags cannot be read. */
  tags: readonly Tag[] | null
  id: string | undefined
  billed: { amount: bigint; currency: string } | null
}

export function ofUsage(row: UsageRow, counted: TokenopsHead['cached_tokens']): Usage {
  const { cached_input_tokens: cached = 0, cache_write_tokens: write = 0 } = row
  const { image_tokens: image = 0, reasoning_tokens: reasoning = 0 } = row
  const whole = row.input_tokens + (counted === 'separate' ? cached + write : 0)
  const input = whole - cached - write - image
  const output = row.output_tokens - reasoning
  return {
    at: row.at,
    day: utcDay(row.at),
    model: row.model,
    tokens: {
      input: Math.max(0, input),
      cached,
      write,
      image,
      output: Math.max(0, output),
      reasoning,
    },
    batch: row.batch === true || row.batch === 'true',
    free: false,
    parts: input < 0 || output < 0,
    agent: row.agent,
    task: row.task,
    customer: row.customer,
    tags: row.tags === undefined ? [] : tagsOf(row.tags),
    id: row.request_id,
    billed: null,
  }
}

/** A charge whose tokens have no price here, and what was billed for it. */
export type Uncounted = {
  reason: 'not_tokens' | 'unknown_meters'
  model: string | undefined
  day: string
  billed: Usage['billed']
}

/** Prompt tokens include cached ones, as LiteLLM counts them; users are agents and end users customers. */
export function ofLitellm(row: LitellmRow): Usage {
  const { cached, write, reasoning } = detailsOf(row)
  const { team_id, request_tags = [] } = row
  const input = row.prompt_tokens - cached - write
  const output = row.completion_tokens - reasoning
  const labels = typeof request_tags === 'string' ? listOf(request_tags) : request_tags
  const team: Tag[] = team_id === undefined || team_id === '' ? [] : [['team', team_id]]
  return {
    at: row.startTime,
    day: utcDay(row.startTime),
    model: row.model,
    tokens: {
      input: Math.max(0, input),
      cached,
      write,
      image: 0,
      output: Math.max(0, output),
      reasoning,
    },
    batch: /batch/i.test(row.call_type ?? ''),
    free: /^true$/i.test(String(row.cache_hit ?? '')),
    parts: input < 0 || output < 0,
    agent: row.user || undefined,
    task: undefined,
    customer: row.end_user || undefined,
    tags: labels === null ? null : [...team, ...labels.map((label): Tag => ['request_tag', label])],
    id: row.request_id,
    billed: row.spend === undefined ? null : billedOf(row.spend, 'USD'),
  }
}

/** The service category of models (FOCUS 1.0 § ServiceCategory). */
const AI_SERVICES = 'AI and Machine Learning'

/** A charge of tokens whose kind its meter names, or why it is none, such as a tax, a request or a meter of another kind. */
export function ofFocus(row: FocusRow): Usage | Uncounted {
  const model = row.x_Model || row.ResourceName || row.SkuId
  const day = utcDay(row.ChargePeriodStart)
  const isUsage = (row.ChargeCategory ?? 'Usage') === 'Usage'
  const isOfModels = (row.ServiceCategory ?? AI_SERVICES) === AI_SERVICES
  const billed = isUsage && isOfModels ? billedOf(row.BilledCost, row.BillingCurrency) : null
  const count = tokensOf(row)
  if (model === undefined || count === null || !isUsage)
    return { reason: 'not_tokens', model, day, billed }
  const kind = kindOf(row.SkuMeter ?? '')
  if (kind === null) return { reason: 'unknown_meters', model, day, billed }
  const tokens = { input: 0, cached: 0, write: 0, image: 0, output: 0, reasoning: 0 }
  tokens[kind] = count
  return {
    at: row.ChargePeriodStart,
    day,
    model,
    tokens,
    batch: /batch/i.test(row.SkuMeter ?? ''),
    free: false,
    parts: false,
    agent: undefined,
    task: undefined,
    customer: row.SubAccountName || undefined,
    tags: row.Tags === undefined ? [] : tagsOf(row.Tags),
    id: undefined,
    billed,
  }
}

export const inputOf = ({ input, cached, write, image }: Tokens) => input + cached + write + image
export const outputOf = ({ output, reasoning }: Tokens) => output + reasoning

function utcDay(at: string): string {
  const isZoned = at.length > 10 && /[+-]\d{2}:?\d{2}$/.test(at)
  return isZoned ? new Date(rfc3339Of(at)).toISOString().slice(0, 10) : at.slice(0, 10)
}

function tagsOf(tags: Record<string, string> | string): Tag[] | null {
  if (typeof tags !== 'string') return Object.entries(tags)
  if (tags.trim() === '') return []
  if (tags.startsWith('{')) {
    const read = jsonOf(tags)
    if (typeof read !== 'object' || read === null) return null
    return Object.entries(read).map(([name, value]): Tag => [name, String(value)])
  }
  const read: Tag[] = []
  for (const pair of tags.split(';')) {
    const at = pair.indexOf('=')
    if (at === -1 || pair.includes('=', at + 1)) return null
    read.push([pair.slice(0, at).trim(), pair.slice(at + 1).trim()])
  }
  return read
}

function listOf(text: string): string[] | null {
  if (text.trim() === '') return []
  const read = jsonOf(text)
  return Array.isArray(read) ? read.map(String) : null
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function billedOf(value: number | string, currency: string): Usage['billed'] {
  const finest = scaled(value, 60) ?? 0n
  const places = 60 - BILLED_PLACES - minorPlaces(currency)
  return { amount: finest / 10n ** BigInt(places), currency }
}

const units: [RegExp, bigint][] = [
  [/^(1 ?m|1,?000,?000|million) ?tokens?$/i, 1_000_000n],
  [/^(1 ?k|1,?000|thousand) ?tokens?$/i, 1_000n],
  [/^(1 )?tokens?$/i, 1n],
]

/** Whole tokens from a quantity and its unit. */
function tokensOf({ ConsumedQuantity, ConsumedUnit = '' }: FocusRow): number | null {
  const [, factor] = units.find(([unit]) => unit.test(ConsumedUnit.trim())) ?? []
  const quantity = scaled(ConsumedQuantity ?? 'none', 18)
  if (factor === undefined || quantity === null) return null
  const count = quantity * factor
  const one = 10n ** 18n
  if (count < 0n || count % one !== 0n || count / one > 5_000_000_000n) return null
  return Number(count / one)
}

/** The kind that a meter names, also as Azure writes it (`Inp`, `Outp`, `cchd`); null where it names none. */
function kindOf(meter: string): TokenKind | null {
  if (/cach|cchd/i.test(meter)) return /writ|creat/i.test(meter) ? 'write' : 'cached'
  if (/reason|thinking/i.test(meter)) return 'reasoning'
  if (/output|outp?\b|completion|generated/i.test(meter)) return 'output'
  if (/image/i.test(meter)) return 'image'
  return /input|inp?\b|prompt/i.test(meter) ? 'input' : null
}

/** The parts of the tokens: in columns of their own, or in `metadata`, where LiteLLM's proxy stores what the provider counted. */
function detailsOf(row: LitellmRow): { cached: number; write: number; reasoning: number } {
  const { additional_usage_values, usage_object } = objectOf(row.metadata)
  const counted = [additional_usage_values, usage_object].map((place) => {
    const counts = objectOf(place)
    const prompt = objectOf(counts['prompt_tokens_details'])
    return { counts, prompt, completion: objectOf(counts['completion_tokens_details']) }
  })
  const first = (countsOf: (place: (typeof counted)[number]) => unknown[]): number =>
    counted.flatMap(countsOf).find(isCount) ?? 0
  return {
    cached:
      row.cache_read_input_tokens ??
      first(({ counts, prompt }) => [counts['cache_read_input_tokens'], prompt['cached_tokens']]),
    write:
      row.cache_creation_input_tokens ??
      first(({ counts, prompt }) => [
        counts['cache_creation_input_tokens'],
        prompt['cache_creation_tokens'],
      ]),
    reasoning: row.reasoning_tokens ?? first(({ completion }) => [completion['reasoning_tokens']]),
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && 0 <= value && value <= 1_000_000_000

/** A JSON object, or its text; empty for anything else. */
function objectOf(value: unknown): Record<string, unknown> {
  const read = typeof value === 'string' ? jsonOf(value) : value
  return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {}
}
