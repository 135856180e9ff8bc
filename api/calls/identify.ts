import type { Method, Proven } from '../auth/method.ts'
import { type AuthDeps, methods } from '../auth/methods.ts'
import { isOfOperator, presentsOperator } from '../auth/operator.ts'
import { byNobody, isAccessKey } from '../auth/public-caller.ts'
import { presentedToken } from '../auth/status-token.ts'
import type { CallRequest } from '../context.ts'
import { type AccessKind, type AnyOperation, isPlain, waysOf } from '../operation.ts'
import { assertSize, bytesMaxOf, openBytesMaxOf, pickOperation, readValue } from './body.ts'
import type { IdentifiedCall, ReceivedCall } from './call.ts'

/**
 * Finds the operation and what its caller proves without the body. A call of an unknown caller costs one lookup or one signature check,
 * and the parsing of JSON of bounded size and depth.
 */
export async function identify({
  operations,
  request,
  deps,
}: ReceivedCall): Promise<IdentifiedCall> {
  const presents = presentedWay(operations, request)
  assertSize(request, bytesMaxOf(operations, presents))
  const proven = operations[0].http.unlimited
    ? await byNobody({ operations, request }, deps)
    : await proveWithinLimit({ operations, request, deps }, presents)
  if (proven.isAnyone && proven.way !== 'wallet') assertSize(request, openBytesMaxOf(operations))
  const value = readValue(operations, request)
  const operation = pickOperation(operations, value)
  const presented = presentedWay([operation], request)
  return { operation, request, deps, value, presented, proven }
}

/**
 * Calls that prove nothing are counted per address. What this process can check alone is checked without that limit, so that a credential
 * that not every caller can get is accepted from any address.
 */
async function proveWithinLimit(
  { operations, request, deps }: ReceivedCall,
  presented: AccessKind | undefined,
): Promise<Proven> {
  const unproven = await deps.limits.address(
    request.address,
    operations[0].limits?.addressPerMinute,
  )
  if (presented === undefined) unproven.assertGranted()
  const proven = await methodFor(operations, presented)({ operations, request }, deps)
  if (proven.isAnyone) unproven.assertGranted()
  else unproven.putBack()
  return proven
}

/** How a call is checked that presents this. One that presents nothing is refused where every operation asks for the same credential. */
export const methodFor = (
  operations: readonly AnyOperation[],
  presented: AccessKind | undefined,
): Method<AuthDeps> => methods[presented ?? neededWay(operations)]

/** The parts of a call that can present a credential. */
export type Presentation = Pick<CallRequest, 'headers' | 'params' | 'overMcp'>

const order: readonly AccessKind[] = ['operator', 'agent', 'status', 'wallet', 'provider']

/** The first kind of access of these operations that the call presents; undefined where it presents none. */
export function presentedWay(
  operations: readonly AnyOperation[],
  call: Presentation,
): AccessKind | undefined {
  const { headers } = call
  const header = headers['authorization']
  const taken = new Set(
    operations.flatMap((operation) => waysTaken(operation, isAccessKey(header))),
  )
  // Who needs no credential is not refused for one that is of no use here.
  const isIgnored = taken.has('public') && isOfOperator(header) && call.overMcp !== true
  const presents: Partial<Record<AccessKind, boolean>> = {
    operator: presentsOperator(headers),
    agent: header !== undefined && !isIgnored,
    status: presentedToken(call) !== undefined,
    wallet: headers['x-service-wallet-proof'] !== undefined,
    provider:
      headers['webhook-signature'] !== undefined || headers['stripe-signature'] !== undefined,
  }
  return order.find((way) => taken.has(way) && presents[way])
}

/** The way that every operation of the path asks for; `public` where they differ, or where one needs nothing. */
function neededWay(operations: readonly AnyOperation[]): AccessKind {
  const [needed, ...others] = new Set(operations.map((operation) => waysOf(operation)[0]))
  const mayBePublic = operations.some((operation) => waysOf(operation).includes('public'))
  return mayBePublic || needed === undefined || others.length > 0 ? 'public' : needed
}

/** A public operation takes an access key where it examines credentials or stores its call for the caller. */
function waysTaken(operation: AnyOperation, hasAccessKey: boolean): readonly AccessKind[] {
  const ways = waysOf(operation)
  const taken =
    operation.examines === true || (hasAccessKey && ways.includes('public') && !isPlain(operation))
  return taken ? [...ways, 'agent'] : ways
}
