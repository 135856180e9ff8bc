import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { isOfOperator, presentsOperator } from '../auth/operator.ts'
import { isAccessKey } from '../auth/public-caller.ts'
import { presentedToken } from '../auth/status-token.ts'
import type { CallRequest } from '../context.ts'
import { type AccessKind, type AnyOperation, isPlain, waysOf } from '../operation.ts'

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

/** The way by which a call is checked: what it presents, or else what every operation asks for; `public` where one needs nothing. */
export function wayOf(
  operations: readonly AnyOperation[],
  presented: AccessKind | undefined,
): AccessKind {
  if (presented !== undefined) return presented
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

/** How large a body of these operations may be; one without a credential has only the limit that is meant for it. */
export function bytesMaxOf(
  operations: readonly AnyOperation[],
  presented: AccessKind | undefined,
): number {
  if (presented === undefined) return openBytesMaxOf(operations)
  return largest(operations.map(({ limits: own }) => own?.bodyBytes ?? limits.bodyBytesMax))
}

/** How large the body of a caller without a credential may be. */
export const openBytesMaxOf = (operations: readonly AnyOperation[]): number =>
  largest(
    operations.map(({ limits: own }) =>
      Math.min(own?.bodyBytes ?? limits.bodyBytesMax, own?.openBodyBytes ?? limits.bodyBytesMax),
    ),
  )

const largest = (sizes: readonly number[]): number => Math.max(0, ...sizes)

/** Throws 413 for a body over this size. */
export function assertSize({ body }: Pick<CallRequest, 'body'>, bytesMax: number): void {
  if (body !== null && body.length > bytesMax)
    throw refuse('payload_too_large', { detail: `the body is over ${bytesMax} bytes` })
}
