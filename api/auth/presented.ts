import type { CallRequest } from '../context.ts'
import { type AccessKind, type AnyOperation, isPlain, waysOf } from '../operation.ts'
import { isOperatorHeader } from './operator.ts'
import { isAccessKey } from './public-caller.ts'
import { presentedToken } from './status-token.ts'

/** What a call presents besides its body. */
export type Presentation = Pick<CallRequest, 'headers' | 'params'>

const order: readonly AccessKind[] = ['operator', 'agent', 'status', 'wallet', 'provider']

/** The way, of those that these operations take, for which the call presents something; undefined where it presents nothing. */
export function presentedWay(
  operations: readonly AnyOperation[],
  call: Presentation,
): AccessKind | undefined {
  const { headers } = call
  const presents: Partial<Record<AccessKind, boolean>> = {
    operator: isOperatorHeader(headers['authorization']),
    agent: headers['authorization'] !== undefined,
    status: presentedToken(call) !== undefined,
    wallet: headers['x-service-wallet-proof'] !== undefined,
    provider:
      headers['webhook-signature'] !== undefined || headers['stripe-signature'] !== undefined,
  }
  const taken = new Set(
    operations.flatMap((operation) => waysTaken(operation, isAccessKey(headers['authorization']))),
  )
  return order.find((way) => taken.has(way) && presents[way])
}

/** A public operation that examines a credential takes one; what keeps a call belongs to its caller, so it takes an access key. */
function waysTaken(operation: AnyOperation, hasAccessKey: boolean): readonly AccessKind[] {
  const ways = waysOf(operation)
  const taken =
    operation.examines === true || (hasAccessKey && ways.includes('public') && !isPlain(operation))
  return taken ? [...ways, 'agent'] : ways
}
