import type { CallRequest } from '../context.ts'
import { type AccessKind, type AnyOperation, isPlain, waysOf } from '../operation.ts'
import { isOfOperator, presentsOperator } from './operator.ts'
import { isAccessKey } from './public-caller.ts'
import { presentedToken } from './status-token.ts'

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

/** A public operation takes an access key where it examines credentials or stores its call for the caller. */
function waysTaken(operation: AnyOperation, hasAccessKey: boolean): readonly AccessKind[] {
  const ways = waysOf(operation)
  const taken =
    operation.examines === true || (hasAccessKey && ways.includes('public') && !isPlain(operation))
  return taken ? [...ways, 'agent'] : ways
}
