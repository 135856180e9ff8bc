import { refuse } from '#domain/core/errors.ts'
import { type Identity, identify } from '../auth/identify.ts'
import { presentedWay } from '../auth/presented.ts'
import type { CallRequest } from '../context.ts'
import { bytesMaxOf, openBytesMaxOf } from './body-size.ts'
import type { IdentifiedCall, ReceivedCall } from './call.ts'
import { readValue } from './input.ts'
import { pickOperation } from './pick-operation.ts'

/**
 * Finds the operation and the caller. A call of an unknown caller costs one lookup or one signature check, and the parsing of JSON of
 * bounded size and depth.
 */
export async function identifyCall(call: ReceivedCall): Promise<IdentifiedCall> {
  const { operations, request, deps } = call
  const [first] = operations
  assertSize(request, bytesMaxOf(operations, request))
  const presented: Identity = first.http.unlimited
    ? { kind: 'public' }
    : await identifyWithinLimit(call)
  if (isUnproven(presented) && presented.kind !== 'wallet')
    assertSize(request, openBytesMaxOf(operations))
  const value = readValue(operations, request)
  return { operation: pickOperation(operations, value), request, deps, value, presented }
}

/**
 * Calls that prove nothing are counted per address. What this process can check alone is checked without that limit, so that a credential
 * that not every caller can get is accepted from any address.
 */
async function identifyWithinLimit({ operations, request, deps }: ReceivedCall): Promise<Identity> {
  const { address } = request
  const unproven = await deps.limits.address(address, operations[0].limits?.addressPerMinute)
  if (presentedWay(operations, request) === undefined) unproven.assertGranted()
  const presented = await identify(operations, request, deps)
  if (isUnproven(presented)) unproven.assertGranted()
  else unproven.putBack()
  return presented
}

/** Whether the caller is anyone: it has proven nothing, or has a new wallet or the token of anonymous work, which every caller can get. */
export const isUnproven = (presented: Identity): boolean =>
  presented.kind === 'public' ||
  presented.kind === 'refused' ||
  (presented.kind === 'wallet' && presented.isNew) ||
  (presented.kind === 'status' && presented.token.keyless === true)

/** Throws 413 for a body over this size. */
export function assertSize({ body }: CallRequest, bytesMax: number): void {
  if (body !== null && body.length > bytesMax)
    throw refuse('payload_too_large', { detail: `the body is over ${bytesMax} bytes` })
}
