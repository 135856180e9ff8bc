import type { Proven } from '../auth/method.ts'
import { methods } from '../auth/methods.ts'
import { waysOf } from '../operation.ts'
import { assertSize, bytesMaxOf } from './body.ts'
import type { AuthenticatedCall, IdentifiedCall } from './call.ts'

/**
 * Finds the caller, including signatures over the body; throws 401, 403, 404 and 429. A credential that is presented is always
 * checked, also where none is needed.
 */
export async function authenticate(call: IdentifiedCall): Promise<AuthenticatedCall> {
  const { operation, request, deps, value, presented } = call
  assertSize(request, bytesMaxOf([operation], presented))
  const { proof = null, callerOf } = await provenFor(call)
  const caller = await callerOf({ operation, request, value })
  return { operation, request, deps, value, caller, proof }
}

/** What the call proves by the way that its operation asks for; one path may have operations that ask for different ones. */
async function provenFor(call: IdentifiedCall): Promise<Proven> {
  const { operation, request, deps, presented, proven } = call
  const ways = waysOf(operation)
  const way = presented ?? (ways.includes('public') ? 'public' : ways[0])
  return way === proven.way ? proven : methods[way]({ operations: [operation], request }, deps)
}
