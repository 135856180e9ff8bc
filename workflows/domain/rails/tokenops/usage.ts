import { jsonOf } from '../../core/strict-json.ts'
import { scaled } from '../values/amounts.ts'
import { minorPlaces } from '../values/exchange.ts'
import { byMeter, type Counts, inputOf, type Meter, meters, noCounts, serviceOf } from './meters.ts'
import {
  type FocusRow,
  type LitellmRow,
  rfc3339Of,
  type TokenopsHead,
  type UsageRow,
} from './schema.ts'

/** Billed amounts are read to this many places of a minor unit, cut off there. */
export const BILLED_PLACES = 12
export const usageLists = ['usage', 'litellm', 'focus'] as const
export type UsageList = (typeof usageLists)[number]
type Tag = readonly [name: string, value: string]

/** A row of any list, read. */
export type Usage = {
  at: string
  day: string
  model: string
  counts: Counts
  service: string
  region: string
  /** The length of its prompts; null where it counts several requests and does not say. */
  prompt: number | null
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
  /** Null stands for the currency of the result. */
  billed: { amount: bigint; currency: string | null } | null
}

export function ofUsage(row: UsageRow, { cached_tokens, currency }: UsageHead): Usage {
  const counts = byMeter((meter) => row[meters[meter].counted] ?? 0)
  const isSeparate = (row.cached_tokens ?? cached_tokens) === 'separate'
  const { cached, write, write_1h, image, audio, input, output } = counts
  const cache = cached + write + write_1h
  counts.input = input - image - audio - (isSeparate ? 0 : cache)
  counts.output = output - counts.reasoning - counts.image_output - counts.audio_output
  const parts = withoutNegative(counts)
  const several = row.requests !== undefined && row.requests !== 1
  const isBatch = row.batch === true || row.batch === 'true'
  return {
    at: row.at,
    day: utcDay(row.at),
    model: row.model,
    counts,
    service: isBatch ? 'batch' : serviceOf(row.service ?? ''),
    region: row.region ?? '',
    prompt: row.prompt_length ?? (several ? null : inputOf(counts)),
    free: false,
    parts,
    agent: row.agent,
    task: row.task,
    customer: row.customer,
    tags: row.tags === undefined ? [] : tagsOf(row.tags),
    id: row.request_id,
    billed:
      row.billed === undefined
        ? null
        : billedOf(row.billed, row.billed_currency ?? currency ?? null),
  }
}
type UsageHead = { cached_tokens?: TokenopsHead['cached_tokens']; currency: string | null }

/** Sets what is below zero to zero, and says whether there was any. */
function withoutNegative(counts: Counts): boolean {
  const negative = counts.input < 0 || counts.output < 0
  counts.input = Math.max(0, counts.input)
  counts.output = Math.max(0, counts.output)
  return negative
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
  const { service, ...details } = litellmDetails(row)
  const { team_id } = row
  const request_tags = row.request_tags ?? []
  const counts = { ...noCounts, ...details }
  const { cached, write, write_1h, audio, reasoning, image_output, audio_output } = counts
  counts.input = row.prompt_tokens - cached - write - write_1h - audio
  counts.output = row.completion_tokens - reasoning - image_output - audio_output
  const parts = withoutNegative(counts)
  const labels = typeof request_tags === 'string' ? listOf(request_tags) : request_tags
  const team: Tag[] = !team_id ? [] : [['team', team_id]]
  return {
    at: row.startTime,
    day: utcDay(row.startTime),
    model: row.model,
    counts,
    service: /batch/i.test(row.call_type ?? '') ? 'batch' : serviceOf(service),
    region: '',
    prompt: row.prompt_tokens,
    free: /^true$/i.test(String(row.cache_hit ?? '')),
    parts,
    agent: row.user || undefined,
    task: undefined,
    customer: row.end_user || undefined,
    tags: labels === null ? null : [...team, ...labels.map((label): Tag => ['request_tag', label])],
    id: row.request_id ?? undefined,
    billed: row.spend === undefined ? null : billedOf(row.spend, 'USD'),
  }
}

/** The service category of models (FOCUS 1.0 § ServiceCategory). */
const AI_SERVICES = 'AI and Machine Learning'

/** A charge of tokens whose kind its meter names, or why it is none, such as a tax, a request or a meter of another kind. */
export function ofFocus(row: FocusRow): Usage | Uncounted {
  const model = row.x_Model || row.ResourceName || row.SkuId || undefined
  const day = utcDay(row.ChargePeriodStart)
  const isUsage = (row.ChargeCategory ?? 'Usage') === 'Usage'
  const isOfModels = (row.ServiceCategory ?? AI_SERVICES) === AI_SERVICES
  const billed = isUsage && isOfModels ? billedOf(row.BilledCost, row.BillingCurrency) : null
  const count = tokensOf(row)
  if (model === undefined || count === null || !isUsage)
    return { reason: 'not_tokens', model, day, billed }
  const named = withoutName(row.SkuMeter || row.ChargeDescription || '', model)
  const meter = meterOf(named)
  if (meter === null) return { reason: 'unknown_meters', model, day, billed }
  return {
    at: row.ChargePeriodStart,
    day,
    model,
    counts: { ...noCounts, [meter]: count },
    service: /batch|flex|priority/i.exec(named)?.[0].toLowerCase() ?? '',
    region: '',
    // A bill has meters of their own for long prompts.
    prompt: longPrompts.test(named) ? Number.POSITIVE_INFINITY : 0,
    free: false,
    parts: false,
    agent: undefined,
    task: undefined,
    customer: row.SubAccountName || undefined,
    tags: tagsOf(row.Tags ?? {}),
    id: undefined,
    billed,
  }
}

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

function billedOf(value: number | string, currency: string | null): Usage['billed'] {
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
function tokensOf({ ConsumedQuantity, ConsumedUnit }: FocusRow): number | null {
  const [, factor] = units.find(([unit]) => unit.test((ConsumedUnit ?? '').trim())) ?? []
  const quantity = scaled(ConsumedQuantity ?? 'none', 18)
  if (factor === undefined || quantity === null) return null
  const count = quantity * factor
  const one = 10n ** 18n
  if (count < 0n || count % one !== 0n || count / one > 5_000_000_000n) return null
  return Number(count / one)
}

const longPrompts = /\blong\b|long.?context|lctx|(>|above|over) ?\d+ ?k/i

/** A meter without the words of its model, which may be called `thinking` or `audio` itself. */
function withoutName(meter: string, model: string): string {
  const words = model.split(/[^a-z0-9]+/i).filter((word) => word.length > 2)
  return words.reduce((rest, word) => rest.replace(new RegExp(`\\b${word}\\b`, 'i'), ''), meter)
}

/** What a meter of tokens names, also as Azure writes it (`Inp`, `Outp`, `cchd`); null where it names none. */
function meterOf(named: string): Meter | null {
  const isInput = /input|inp?\b|prompt/i.test(named)
  const isOutput =
    /output|outp?\b|generated/i.test(named) || (!isInput && /completion/i.test(named))
  if (/cach|cchd/i.test(named)) {
    if (!/writ|creat/i.test(named)) return 'cached'
    return /1 ?-?_?h(ou)?r?\b|60 ?-?m/i.test(named) ? 'write_1h' : 'write'
  }
  if (/reason|thinking/i.test(named) && (isOutput || !isInput)) return 'reasoning'
  if (/audio/i.test(named)) return isOutput ? 'audio_output' : 'audio'
  if (/image/i.test(named)) return isOutput ? 'image_output' : 'image'
  if (isOutput) return 'output'
  return isInput ? 'input' : null
}

/** The parts of the tokens: in columns of their own, or in `metadata`, where LiteLLM's proxy stores what the provider counted. */
function litellmDetails(row: LitellmRow) {
  const { additional_usage_values, usage_object } = objectOf(row.metadata)
  const counted = [additional_usage_values, usage_object].map((place) => {
    const usage = objectOf(place)
    const prompt = objectOf(usage['prompt_tokens_details'])
    const completion = objectOf(usage['completion_tokens_details'])
    const lives = [usage['cache_creation'], prompt['cache_creation_token_details']].map(objectOf)
    return { usage, prompt, completion, lives, tools: objectOf(usage['server_tool_use']) }
  })
  const first = (valuesOf: (place: (typeof counted)[number]) => unknown[]): number =>
    counted.flatMap(valuesOf).find(isCount) ?? 0
  const write_1h = first(({ lives }) => lives.map((life) => life['ephemeral_1h_input_tokens']))
  const written =
    row.cache_creation_input_tokens ??
    first(({ usage, prompt }) => [
      usage['cache_creation_input_tokens'],
      prompt['cache_creation_tokens'],
    ])
  const tier = counted.map(({ usage }) => usage['service_tier']).find(isText) ?? ''
  return {
    service: tier,
    cached:
      row.cache_read_input_tokens ??
      first(({ usage, prompt }) => [usage['cache_read_input_tokens'], prompt['cached_tokens']]),
    write: Math.max(0, written - write_1h),
    write_1h,
    audio: first(({ prompt }) => [prompt['audio_tokens']]),
    reasoning: row.reasoning_tokens ?? first(({ completion }) => [completion['reasoning_tokens']]),
    image_output: first(({ completion }) => [completion['image_tokens']]),
    audio_output: first(({ completion }) => [completion['audio_tokens']]),
    searches: first(({ prompt, tools }) => [
      tools['web_search_requests'],
      prompt['web_search_requests'],
    ]),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && 0 <= value && value <= 1_000_000_000

/** A JSON object, or its text; empty for anything else. */
function objectOf(value: unknown): Record<string, unknown> {
  const read = typeof value === 'string' ? jsonOf(value) : value
  return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {}
}
