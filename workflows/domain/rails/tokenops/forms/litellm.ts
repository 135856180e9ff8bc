import { isObject } from '../../../core/plain-object.ts'
import type { FormRows } from '../../form.ts'
import { rowsOf } from './records.ts'

/** The spend logs as the proxy's API answers them. */
export function litellmLogs(whole: unknown): FormRows | undefined {
  const list = isObject(whole) ? whole['data'] : whole
  if (!Array.isArray(list) || !list.every(isObject)) return undefined
  if (!list.some((log) => 'startTime' in log && 'prompt_tokens' in log && 'spend' in log))
    return undefined
  return rowsOf(
    list.map((fields, at) => ({ line: at + 1, fields })),
    (value) => ({ value: { ...value } }),
  )
}
