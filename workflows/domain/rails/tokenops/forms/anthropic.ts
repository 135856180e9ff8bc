import type { CellTable, FormRows } from '../../form.ts'
import { decimalText, scaled } from '../../values/amounts.ts'
import {
  bucketsOf,
  countOf,
  type Fields,
  type RowOf,
  recordsIn,
  rowsOf,
  within,
  withPages,
} from './records.ts'

export function anthropicUsage(whole: unknown): FormRows | undefined {
  const results = bucketsOf(whole)
  const isOfIt = results?.some(
    ({ fields }) => 'uncached_input_tokens' in fields && 'starting_at' in fields,
  )
  if (results === undefined || isOfIt !== true) return undefined
  const read = rowsOf(results, (fields) => {
    const written = within(fields, 'cache_creation')
    return usageRow({
      at: fields['starting_at'],
      model: fields['model'],
      input_tokens: fields['uncached_input_tokens'],
      cached_input_tokens: fields['cache_read_input_tokens'],
      cache_write_tokens: written['ephemeral_5m_input_tokens'],
      cache_write_1h_tokens: written['ephemeral_1h_input_tokens'],
      output_tokens: fields['output_tokens'],
      searches: within(fields, 'server_tool_use')['web_search_requests'],
      service: fields['service_tier'],
      speed: fields['speed'],
      window: fields['context_window'],
      region: fields['inference_geo'],
      agent: fields['api_key_id'],
      workspace: fields['workspace_id'],
    })
  })
  return withPages(whole, read)
}

export function anthropicUsageTable(table: CellTable): FormRows | undefined {
  const records = recordsIn(table, [
    'usage_date_utc',
    'model_version',
    'usage_input_tokens_no_cache',
    'usage_output_tokens',
  ])
  return (
    records &&
    rowsOf(records, (fields) =>
      usageRow({
        at: fields['usage_date_utc'],
        model: fields['model_version'],
        input_tokens: fields['usage_input_tokens_no_cache'],
        cached_input_tokens: fields['usage_input_tokens_cache_read'],
        cache_write_tokens:
          fields['usage_input_tokens_cache_write_5m'] ?? fields['usage_input_tokens_cache_write'],
        cache_write_1h_tokens: fields['usage_input_tokens_cache_write_1h'],
        output_tokens: fields['usage_output_tokens'],
        searches: fields['web_search_count'],
        service: fields['usage_type'] === 'message' ? undefined : fields['usage_type'],
        speed: fields['speed'],
        window: fields['context_window'],
        region: fields['inference_geo'],
        agent: fields['api_key'],
        workspace: fields['workspace'],
      }),
    )
  )
}

/** Amounts of the cost report are cents, with decimals. */
export function anthropicCosts(whole: unknown): FormRows | undefined {
  const results = bucketsOf(whole)
  const isOfIt = results?.some(({ fields }) => 'amount' in fields && 'starting_at' in fields)
  if (results === undefined || isOfIt !== true) return undefined
  const read = rowsOf(results, (fields) => {
    const cents = scaled(String(fields['amount']), 28)
    if (cents === null) return { malformed: 'its amount is no decimal' }
    return chargeRow(fields, fields['starting_at'], decimalText(cents, 30))
  })
  return withPages(whole, read)
}

export function anthropicCostsTable(table: CellTable): FormRows | undefined {
  const records = recordsIn(table, ['usage_date_utc', 'model', 'token_type', 'cost_usd'])
  return (
    records &&
    rowsOf(records, (fields) => chargeRow(fields, fields['usage_date_utc'], fields['cost_usd']))
  )
}

const counted = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'searches',
]

function usageRow({ speed, window, region, workspace, ...fields }: Fields): RowOf {
  if (typeof fields['model'] !== 'string')
    return { malformed: 'names no model: group the export by model' }
  const counts = Object.fromEntries(counted.map((name) => [name, countOf(fields[name])]))
  const isPlace = typeof region === 'string' && !['not_available', 'global'].includes(region)
  return {
    value: {
      ...fields,
      ...counts,
      cached_tokens: 'separate',
      requests: 0,
      prompt_length: promptOf(window),
      service: speed === undefined || speed === 'standard' ? fields['service'] : speed,
      region: isPlace ? region : undefined,
      tags: typeof workspace === 'string' ? { workspace } : undefined,
    },
  }
}

/** `0-200k` and `≤ 200k` are prompts up to that length, `200k-1M` and `> 200k` such above it. */
function promptOf(window: unknown): number | undefined {
  const [, upTo, above] = /^(?:0-|≤ ?)(\d+)k$|^(?:> ?)?(\d+)k(?:-1M)?$/.exec(String(window)) ?? []
  if (upTo !== undefined) return Number(upTo) * 1_000
  return above === undefined ? undefined : Number(above) * 1_000 + 1
}

function chargeRow(fields: Fields, at: unknown, cost: unknown): RowOf {
  return {
    value: {
      ChargePeriodStart: at,
      BilledCost: cost,
      BillingCurrency: String(fields['currency'] ?? 'USD'),
      x_Model: fields['model'],
      SkuMeter: fields['token_type'] ?? fields['description'],
      SubAccountName: fields['workspace'] ?? fields['workspace_id'],
    },
  }
}
