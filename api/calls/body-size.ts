import { limits } from '#domain/core/limits.ts'
import { type Presentation, presentedWay } from '../auth/presented.ts'
import type { AnyOperation } from '../operation.ts'

/** How large a body of these operations may be; one without a credential has only the limit that is meant for it. */
export function bytesMaxOf(operations: readonly AnyOperation[], call: Presentation): number {
  if (presentedWay(operations, call) === undefined) return openBytesMaxOf(operations)
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
