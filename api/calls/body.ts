import type { z } from 'zod'
import { type DomainError, type PointerError, refuse } from '#domain/core/errors.ts'
import { faultAt, firstFaults } from '#domain/core/faults.ts'
import { type JsonFault, readJson } from '#domain/core/json-text.ts'
import { limits } from '#domain/core/limits.ts'
import type { CallRequest } from '../context.ts'
import { hasBody } from '../http-method.ts'
import type { AnyOperation } from '../operation.ts'

/**
 * The JSON value of a body, `{}` for one that may be left out, or the query where there is none or it is taken as a stream; 400
 * `invalid_json` when the bytes are not UTF-8 JSON, nest too deep, or name a member twice.
 */
export function readValue(
  operations: readonly [AnyOperation, ...AnyOperation[]],
  request: CallRequest,
): unknown {
  const [{ http, stream }] = operations
  if (!hasBody(http.method) || stream !== undefined) return request.query
  const body = request.body ?? new Uint8Array()
  if (body.length === 0 && isBodyOptional(operations)) return {}
  const read = readJson(body)
  if ('fault' in read) throw unreadable(read.fault)
  const { text, value } = read
  if (escapedSurrogate.test(text) || largeNumber.test(text)) assertWellFormed(value)
  return value
}

const faults: Record<JsonFault, readonly [detail: string, message: string]> = {
  too_deep: [`the body nests deeper than ${limits.jsonDepthMax} levels`, 'nested too deep'],
  name_twice: ['an object of the body names a member twice', 'a name stands twice'],
  not_json: ['the body is not UTF-8 JSON', 'not JSON'],
}

function unreadable(fault: JsonFault): DomainError {
  const [detail, message] = faults[fault]
  return refuse('invalid_json', { detail, errors: [{ pointer: '', message }] })
}

// UTF-8 holds no surrogates; only an escape brings one into JSON.
const escapedSurrogate = /\\u[dD][89a-fA-F]/
// What can be read as infinite: a number with an exponent of three digits, or one of very many digits.
const largeNumber = /(?:^|[:,[])\s*-?\d(?:\d{199}|[\d.]*[eE]\+?\d{3})/

/** Throws 400 for a lone surrogate and for a number that is too large: neither has a canonical JSON, and so no digest. */
function assertWellFormed(value: unknown): void {
  const errors = firstFaults(illFormed(value, []))
  if (errors.length === 0) return
  throw refuse('invalid_request', {
    detail: 'the body holds a lone surrogate or a number that is too large, which have no digest',
    errors,
  })
}

function* illFormed(value: unknown, path: readonly string[]): Generator<PointerError> {
  const isIll =
    typeof value === 'string'
      ? /\p{Cs}/u.test(value)
      : typeof value === 'number' && !Number.isFinite(value)
  if (isIll) yield faultAt(path, 'holds a lone surrogate or a number that is too large')
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    yield* illFormed(key, path)
    yield* illFormed(part, [...path, key])
  }
}

/**
 * The operation of a group that the body's `mode` names, or the one for bodies without; throws 400 `unknown_mode` with the known ones. A body that is no
 * JSON object goes to the first, whose schema refuses it.
 */
export function pickOperation(
  group: readonly [AnyOperation, ...AnyOperation[]],
  value: unknown,
): AnyOperation {
  const [first] = group
  if (first.mode === undefined) return first
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return first
  const mode: unknown = 'mode' in value ? value.mode : undefined
  const picked = group.find(
    (operation) => operation.mode === mode || (mode === undefined && operation.defaultMode),
  )
  if (picked !== undefined) return picked
  const known = group.map((operation) => operation.mode).join(', ')
  throw refuse('unknown_mode', {
    detail: `the modes of this path are ${known}`,
    errors: [{ pointer: '/mode', message: `one of ${known}` }],
  })
}

/** Whether a call of the group may leave its body out: the schema then takes `{}`, apart from what stands in the path. */
export function isBodyOptional(group: readonly AnyOperation[]): boolean {
  const operation = group.find(({ mode, defaultMode }) => mode === undefined || defaultMode)
  if (operation === undefined || operation.stream !== undefined) return false
  const { error } = (operation.input as z.ZodType).safeParse({})
  const missing = error?.issues.map(({ path: [member] }) => `{${String(member)}}`) ?? []
  return missing.every((member) => operation.http.path.includes(member))
}
