import type { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import type { AnyOperation } from '../operation.ts'

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
