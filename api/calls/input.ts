import type { z } from 'zod'
import { type DomainError, type PointerError, refuse } from '#domain/core/errors.ts'
import { faultAt, firstFaults } from '#domain/core/faults.ts'
import { type JsonFault, readJson } from '#domain/core/json-text.ts'
import { limits } from '#domain/core/limits.ts'
import type { CallRequest } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import { isBodyOptional } from './pick-operation.ts'

/**
 * The JSON value of a body, `{}` for one that may be left out, or the query where there is none or it is taken as a stream; 400
 * `invalid_json` when the bytes are not UTF-8 JSON, nest too deep, or name a member twice.
 */
export function readValue(
  operations: readonly [AnyOperation, ...AnyOperation[]],
  request: CallRequest,
): unknown {
  const [{ http, stream }] = operations
  if (http.method === 'GET' || stream !== undefined) return request.query
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

/** The value with what stands in the path; a status token there is a credential and no input. 400 for a name that stands in both. */
export function withParams(value: unknown, { params }: Pick<CallRequest, 'params'>): unknown {
  const { token: _credential, ...named } = params
  if (
    Object.keys(named).length === 0 ||
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value)
  )
    return value
  const errors = Object.keys(named)
    .filter((name) => name in value)
    .map((name) => ({ pointer: `/${name}`, message: 'is given in the path' }))
  if (errors.length === 0) return { ...value, ...named }
  throw refuse('invalid_request', {
    detail: 'a name is in the path and also in the body or query',
    errors,
  })
}

/** The value as the operation's schema reads it; 400 with JSON pointers for its first faults. */
export function readInput(operation: AnyOperation, value: unknown): unknown {
  const parsed = (operation.input as z.ZodType).safeParse(value)
  if (parsed.success) return parsed.data
  const errors = firstFaults(faultsOf(parsed.error.issues))
  const texts = errors.map(({ pointer, message }) => `${pointer || '(body)'}: ${message}`)
  throw refuse('invalid_request', { detail: texts.join('; '), errors })
}

/** Works out the faults one by one, because their number is the caller's. */
function* faultsOf(issues: readonly z.core.$ZodIssue[]): Generator<PointerError> {
  for (const issue of issues) {
    const closest = closestOption(issue)
    if (closest !== undefined) yield* faultsOf(closest)
    else if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) yield faultAt([...issue.path, key], 'unknown property')
    else yield faultAt(issue.path, issue.message)
  }
}

/** The faults of the option of a union that knows most members of the value; undefined for other faults. */
function closestOption(issue: z.core.$ZodIssue): z.core.$ZodIssue[] | undefined {
  if (issue.code !== 'invalid_union') return undefined
  const [closest] = [...issue.errors].sort((a, b) => unknownMembers(a) - unknownMembers(b))
  if (closest?.every(({ path, code }) => path.length === 0 && code !== 'unrecognized_keys'))
    return undefined
  return closest?.map((fault) => ({ ...fault, path: [...issue.path, ...fault.path] }))
}

const unknownMembers = (faults: readonly z.core.$ZodIssue[]): number =>
  faults.reduce(
    (sum, fault) =>
      fault.code === 'unrecognized_keys' && fault.path.length === 0 ? sum + fault.keys.length : sum,
    0,
  )
