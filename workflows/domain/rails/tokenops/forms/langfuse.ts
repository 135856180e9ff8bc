import { isObject } from '../../../core/plain-object.ts'
import { jsonOf } from '../../../core/strict-json.ts'
import type { CellTable, FormRows } from '../../form.ts'
import { type Fields, type RowOf, recordsIn, rowsOf, sumOf } from './records.ts'

/** Where each count of `usageDetails` belongs; Langfuse counts no token in two of them. */
const counts: Readonly<Record<string, string>> = {
  input: 'input',
  output: 'output',
  input_cached_tokens: 'cached_input_tokens',
  input_cache_read: 'cached_input_tokens',
  cache_read_input_tokens: 'cached_input_tokens',
  input_cache_creation: 'cache_write_tokens',
  cache_creation_input_tokens: 'cache_write_tokens',
  input_cache_creation_5m: 'cache_write_tokens',
  input_cache_creation_1h: 'cache_write_1h_tokens',
  input_audio_tokens: 'audio_input_tokens',
  output_audio_tokens: 'audio_output_tokens',
  output_reasoning_tokens: 'reasoning_tokens',
  output_reasoning: 'reasoning_tokens',
}

export function langfuseObservations(whole: unknown): FormRows | undefined {
  const list = isObject(whole) ? whole['data'] : whole
  if (!Array.isArray(list) || !list.every(isObject)) return undefined
  if (!list.some((one) => 'traceId' in one && 'usageDetails' in one)) return undefined
  return rowsOf(
    list.map((fields, at) => ({ line: at + 1, fields })),
    observationRow,
  )
}

/** The same as a table, in which details are JSON texts. */
export function langfuseTable(table: CellTable): FormRows | undefined {
  const records = recordsIn(table, ['traceid', 'starttime', 'usagedetails'])
  return (
    records &&
    rowsOf(records, (fields) =>
      observationRow({
        id: fields['id'],
        type: fields['type'],
        startTime: fields['starttime'],
        model: fields['model'] ?? fields['providedmodelname'],
        usageDetails: jsonOf(String(fields['usagedetails'])),
        costDetails: jsonOf(String(fields['costdetails'])),
        userId: fields['userid'],
        name: fields['name'],
      }),
    )
  )
}

function observationRow(fields: Fields): RowOf {
  const model = fields['model'] ?? fields['providedModelName']
  const details = fields['usageDetails']
  const stated = isObject(details) ? Object.entries(details).filter(([, count]) => count !== 0) : []
  if (stated.length === 0) return { leftOut: 'an observation without usage' }
  if (typeof model !== 'string') return { malformed: 'names no model' }
  const known = stated.filter(([name]) => name !== 'total')
  const other = known.find(([name]) => !Object.hasOwn(counts, name))
  if (other !== undefined) return { malformed: `counts ${other[0]}, which is not known` }
  const sum = (wanted: (field: string) => boolean) =>
    sumOf(known.filter(([name]) => wanted(counts[name] ?? '')).map(([, count]) => count))
  const total = isObject(details) ? details['total'] : undefined
  if (total !== undefined && sum(() => true) !== total)
    return { malformed: 'its counts do not come to its total' }
  const isOutput = (field: string) => /output|reasoning/.test(field)
  const parts = [...new Set(Object.values(counts))].filter((field) => field.endsWith('tokens'))
  const costs = fields['costDetails']
  return {
    value: {
      at: fields['startTime'],
      request_id: fields['id'],
      model,
      cached_tokens: 'included',
      ...Object.fromEntries(parts.map((part) => [part, sum((field) => field === part)])),
      input_tokens: sum((field) => !isOutput(field)) ?? 0,
      output_tokens: sum(isOutput) ?? 0,
      billed: isObject(costs) ? costs['total'] : undefined,
      billed_currency: isObject(costs) && costs['total'] !== undefined ? 'USD' : undefined,
      customer: fields['userId'],
      task: fields['name'],
    },
  }
}
