import { isObject } from '../../../core/plain-object.ts'
import type { CellTable, FormRows } from '../../form.ts'
import { decimalText, scaled } from '../../values/amounts.ts'
import { countOf, type Fields, type RowOf, recordsIn, rowsOf } from './records.ts'

/** One generation a record, with what it cost in US dollars. */
export function openrouterGenerations(table: CellTable): FormRows | undefined {
  const records = recordsIn(table, [
    'created_at',
    'cost_total',
    'tokens_prompt',
    'tokens_completion',
    'model_permaslug',
  ])
  return records && rowsOf(records, generationRow)
}

/** A day of a model a record. */
export function openrouterDays(table: CellTable): FormRows | undefined {
  const records = recordsIn(table, ['date', 'slug', 'usage', 'requests', 'prompt tokens'])
  return (
    records &&
    rowsOf(records, (fields) =>
      dayRow({
        date: fields['date'],
        model: fields['slug'],
        usage: fields['usage'],
        byok_usage_inference: fields['byok usage'],
        requests: fields['requests'],
        prompt_tokens: fields['prompt tokens'],
        completion_tokens: fields['completion tokens'],
        reasoning_tokens: fields['reasoning tokens'],
      }),
    )
  )
}

/** The same from the API. */
export function openrouterActivity(whole: unknown): FormRows | undefined {
  const days = isObject(whole) && Array.isArray(whole['data']) ? whole['data'] : []
  if (!days.every(isObject) || !days.some((day) => 'byok_usage_inference' in day)) return undefined
  return rowsOf(
    days.map((fields, at) => ({ line: at + 1, fields })),
    dayRow,
  )
}

function generationRow(fields: Fields): RowOf {
  const variant = fields['variant']
  const suffix = variant === undefined || variant === 'standard' ? '' : `:${variant}`
  return {
    value: {
      at: fields['created_at'],
      request_id: fields['generation_id'],
      model: `${fields['model_permaslug'] ?? ''}${suffix}`,
      cached_tokens: 'included',
      input_tokens: countOf(fields['tokens_prompt']),
      output_tokens: countOf(fields['tokens_completion']),
      cached_input_tokens: countOf(fields['tokens_cached']),
      reasoning_tokens: countOf(fields['tokens_reasoning']),
      billed: billedOf(fields['cost_total'], fields['byok_usage_inference']),
      billed_currency: 'USD',
      agent: fields['app_name'] ?? fields['api_key_name'],
      customer: fields['user'],
    },
  }
}

function dayRow(fields: Fields): RowOf {
  return {
    value: {
      at: fields['date'],
      model: fields['model'],
      cached_tokens: 'included',
      input_tokens: countOf(fields['prompt_tokens']),
      output_tokens: countOf(fields['completion_tokens']),
      reasoning_tokens: countOf(fields['reasoning_tokens']),
      requests: countOf(fields['requests']),
      billed: billedOf(fields['usage'], fields['byok_usage_inference']),
      billed_currency: 'USD',
    },
  }
}

/** What OpenRouter charged and what the caller's own key was charged. */
function billedOf(charged: unknown, own: unknown): unknown {
  const parts = [charged, own ?? 0].map((part) => scaled(String(part), 24))
  const [one, other] = parts
  if (one === undefined || one === null || other === undefined || other === null) return charged
  return decimalText(one + other, 24)
}
