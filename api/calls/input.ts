import type { z } from 'zod'
import { type DomainError, type PointerError, refuse } from '#domain/core/errors.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { hasUniqueNames, isNestedWithin } from '#domain/core/json-text.ts'
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
  if (!isNestedWithin(body, limits.jsonDepthMax))
    throw unreadable(`the body nests deeper than ${limits.jsonDepthMax} levels`, 'nested too deep')
  const { text, value } = parseJson(body)
  if (!hasUniqueNames(body, value))
    throw unreadable('an object of the body names a member twice', 'a name stands twice')
  if (escapedSurrogate.test(text) || largeNumber.test(text)) assertWellFormed(value)
  return value
}

function parseJson(body: Uint8Array): { text: string; value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    throw unreadable('the body is not UTF-8 JSON', 'not JSON')
  }
}

// UTF-8 holds no surrogates; only an escape brings one into JSON.
const escapedSurrogate = /\\u[dD][89a-fA-F]/
// What can be read as infinite: a number with an exponent of three digits, or one of very many digits.
const largeNumber = /(?:^|[:,[])\s*-?\d(?:\d{199}|[\d.]*[eE]\+?\d{3})/

/** Throws 400 for a lone surrogate and for a number that is too large: neither has a canonical JSON, and so no digest. */
function assertWellFormed(value: unknown): void {
  const errors = illFormed(value, []).map((path) => ({
    pointer: pointerOf(path),
    message: 'holds a lone surrogate or a number that is too large',
  }))
  if (errors.length === 0) return
  throw refuse('invalid_request', {
    detail: 'the body holds a lone surrogate or a number that is too large, which have no digest',
    errors,
  })
}

function illFormed(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value === 'string') return /\p{Cs}/u.test(value) ? [path] : []
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [
    ...illFormed(key, path),
    ...illFormed(part, [...path, key]),
  ])
}

const unreadable = (detail: string, message: string): DomainError =>
  refuse('invalid_json', {
    detail,
    errors: [{ pointer: '', message }],
  })

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

/** The value as the operation's schema reads it; 400 with a JSON pointer for each fault. */
export function readInput(operation: AnyOperation, value: unknown): unknown {
  const parsed = (operation.input as z.ZodType).safeParse(value)
  if (!parsed.success) {
    const errors = parsed.error.issues.flatMap(pointers)
    throw refuse('invalid_request', {
      detail: errors.map(({ pointer, message }) => `${pointer || '(body)'}: ${message}`).join('; '),
      errors,
    })
  }
  return parsed.data
}

function pointers(issue: z.core.$ZodIssue): PointerError[] {
  const closest = closestOption(issue)
  if (closest !== undefined) return closest.flatMap(pointers)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerOf([...issue.path, key]),
      message: 'unknown property',
    }))
  }
  return [{ pointer: pointerOf(issue.path), message: issue.message }]
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
