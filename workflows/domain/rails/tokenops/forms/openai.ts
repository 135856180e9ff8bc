import type { CellTable, FormRows } from '../../form.ts'
import {
  bucketsOf,
  countOf,
  type Fields,
  instantOf,
  type RowOf,
  recordsIn,
  rowsOf,
  sumOf,
  within,
  withPages,
} from './records.ts'

const USAGE = 'organization.usage.completions.result'
const COSTS = 'organization.costs.result'

export function openaiUsage(whole: unknown): FormRows | undefined {
  const results = bucketsOf(whole)
  if (results === undefined || !results.some(({ fields }) => fields['object'] === USAGE))
    return undefined
  return withPages(whole, rowsOf(results, usageRow))
}

export function openaiUsageTable(table: CellTable): FormRows | undefined {
  const records = recordsIn(table, ['start_time', 'end_time', 'input_tokens', 'output_tokens'])
  return records && rowsOf(records, usageRow)
}

export function openaiCosts(whole: unknown): FormRows | undefined {
  const results = bucketsOf(whole)
  if (results === undefined || !results.some(({ fields }) => fields['object'] === COSTS))
    return undefined
  const read = rowsOf(results, (fields) => {
    const { value, currency } = within(fields, 'amount')
    return chargeRow(fields, value, currency)
  })
  return withPages(whole, read)
}

export function openaiCostsTable(table: CellTable): FormRows | undefined {
  const records = recordsIn(table, ['start_time', 'amount_value', 'amount_currency'])
  return (
    records &&
    rowsOf(records, (fields) =>
      chargeRow(fields, fields['amount_value'], fields['amount_currency']),
    )
  )
}

/** Text, audio and image tokens are the whole where the text is counted apart; else the whole is text, and audio comes to it. */
function usageRow(fields: Fields): RowOf {
  const counted = ['input_tokens', 'output_tokens'].some((name) => fields[name] !== undefined)
  if (!counted) return { leftOut: 'a period without usage' }
  if (typeof fields['model'] !== 'string')
    return { malformed: 'names no model: group the export by model' }
  const isWhole = fields['input_text_tokens'] !== undefined
  const [audio, audioOut] = [fields['input_audio_tokens'], fields['output_audio_tokens']]
  const whole = (name: string, spoken: unknown) =>
    isWhole ? countOf(fields[name]) : sumOf([fields[name], spoken])
  const project = fields['project_name'] ?? fields['project_id']
  const batch = String(fields['batch'] ?? '').toLowerCase()
  return {
    value: {
      at: fields['start_time_iso'] ?? instantOf(fields['start_time']),
      model: fields['model'],
      cached_tokens: 'included',
      input_tokens: whole('input_tokens', audio),
      output_tokens: whole('output_tokens', audioOut),
      cached_input_tokens: countOf(fields['input_cached_tokens']),
      audio_input_tokens: countOf(audio),
      audio_output_tokens: countOf(audioOut),
      requests: countOf(fields['num_model_requests']) ?? 0,
      service: fields['service_tier'],
      batch: batch === '' ? undefined : batch,
      agent: fields['user_email'] ?? fields['user_id'] ?? fields['api_key_id'],
      tags: typeof project === 'string' ? { project } : undefined,
    },
  }
}

/** The model stands before the comma of a line item, such as `gpt-4o-2024-08-06, cached input`. */
function chargeRow(fields: Fields, amount: unknown, currency: unknown): RowOf {
  if (amount === undefined) return { leftOut: 'a period without cost' }
  const [model, meter] = String(fields['line_item'] ?? '').split(', ')
  return {
    value: {
      ChargePeriodStart: fields['start_time_iso'] ?? instantOf(fields['start_time']),
      BilledCost: amount,
      BillingCurrency: String(currency ?? '').toUpperCase(),
      x_Model: meter === undefined ? undefined : model,
      SkuMeter: meter,
      SubAccountName: fields['project_name'] ?? fields['project_id'],
    },
  }
}
