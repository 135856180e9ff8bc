import { methods } from '../auth/methods.ts'
import type { AuthenticatedCall, IdentifiedCall } from './call.ts'
import { assertSize, bytesMaxOf, presentedWay, wayOf } from './presented.ts'

/**
 * Finds the caller by the way that the operation asks for, including signatures over the body; one path may have operations that ask
 * for different ways. Throws 401, 403, 404 and 429. A credential that is presented is always checked, also where none is needed.
 */
export async function authenticate(call: IdentifiedCall): Promise<AuthenticatedCall> {
  const { operation, request, deps, value, proven } = call
  const operations = [operation]
  const presented = presentedWay(operations, request)
  assertSize(request, bytesMaxOf(operations, presented))
  const way = wayOf(operations, presented)
  const fitting = way === proven.way ? proven : await methods[way]({ operations, request }, deps)
  const caller = await fitting.callerOf({ operation, request, value })
  return { operation, request, deps, value, caller, proof: fitting.proof ?? null }
}
