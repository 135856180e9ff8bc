import { limits } from '#domain/core/limits.ts'
import { type Presentation, presentedWay } from '../auth/presented.ts'
import type { AnyOperation } from '../operation.ts'

/** How large a body of these operations may be; one without a credential has no operation's own, larger limit. */
export function bytesMaxOf(operations: readonly AnyOperation[], call: Presentation): number {
  const most = Math.max(
    0,
    ...operations.map((operation) => operation.limits?.bodyBytes ?? limits.bodyBytesMax),
  )
  return presentedWay(operations, call) === undefined ? Math.min(most, limits.bodyBytesMax) : most
}
