import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { DecisionView } from '../shapes/delegations.ts'

/**
 * The refusal of a decision that denies. Where only the missing price denies, it is the operation's own refusal, such as 404 for
 * an unknown quote.
 */
export function denied(
  { decision_id, reasons, receipt }: DecisionView,
  refusal: DomainError | undefined,
): DomainError {
  const others = reasons.filter(({ rule }) => rule !== 'price_known')
  if (refusal !== undefined && others.length === 0) return refusal
  return refuse('authority_denied', {
    detail: reasons.map(({ detail }) => detail).join('; '),
    money_moved: 'no',
    extra: { decision_id, reasons, receipt },
  })
}
