import { errorCodes } from '../core/error-codes.ts'
import type { Refusal } from '../core/errors.ts'

/**
 * Whether a refusal of the operation proves that nothing happened. `again`: an earlier attempt may have had the effect, so that a
 * limit on calls proves nothing.
 */
export function provesNoEffect(refusal: Refusal, { again }: { again: boolean }): boolean {
  const { status } = errorCodes[refusal.code]
  if (status >= 500 || refusal.code === 'idempotency_in_flight') return false
  if (again && status === 429) return false
  return refusal.money_moved === undefined || refusal.money_moved === 'no'
}
