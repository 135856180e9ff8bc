import { methods } from '../auth/methods.ts'
import { pickOperation, readValue } from './body.ts'
import type { IdentifiedCall, ReceivedCall } from './call.ts'
import { assertSize, bytesMaxOf, openBytesMaxOf, presentedWay, wayOf } from './presented.ts'

/**
 * Finds the operation and what its caller proves without the body. A call of an unknown caller costs one lookup or one signature check,
 * and the parsing of JSON of bounded size and depth. Calls that prove nothing are counted per address. What this process can check alone
 * is checked without that limit, so that a credential that not every caller can get is accepted from any address.
 */
export async function identify(call: ReceivedCall): Promise<IdentifiedCall> {
  const { operations, request, deps } = call
  const [{ http, limits }] = operations
  const presented = presentedWay(operations, request)
  assertSize(request, bytesMaxOf(operations, presented))
  const unproven = http.unlimited
    ? undefined
    : await deps.limits.address(request.address, limits?.addressPerMinute)
  if (presented === undefined) unproven?.assertGranted()
  const way = http.unlimited ? 'public' : wayOf(operations, presented)
  const proven = await methods[way]({ operations, request }, deps)
  if (proven.isAnyone) unproven?.assertGranted()
  else unproven?.putBack()
  if (proven.isAnyone && way !== 'wallet') assertSize(request, openBytesMaxOf(operations))
  const value = readValue(operations, request)
  return { operation: pickOperation(operations, value), request, deps, value, proven }
}
