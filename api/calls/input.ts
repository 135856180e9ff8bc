import type { z } from 'zod'
import { type PointerError, refuse } from '#domain/core/errors.ts'
import { faultAt, firstFaults } from '#domain/core/faults.ts'
import type { CallRequest } from '../context.ts'
import type { AnyOperation } from '../operation.ts'

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
