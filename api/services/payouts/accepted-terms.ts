import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import type { PayoutTerms } from '#domain/payouts/payout.ts'

type Terms = Omit<PayoutTerms, 'asset'>

/** The terms, unless they can never be paid: 400 for an amount of zero, 422 over the cap or to an address that is never paid. */
export function acceptTerms(terms: Terms, refusedRecipients: ReadonlySet<string>): Terms {
  const atomic = BigInt(terms.amount_atomic)
  if (atomic === 0n)
    throw refuse('invalid_request', {
      detail: 'the amount is zero',
      next_action: 'Send an amount of at least 0.000001.',
      errors: [{ pointer: '/amount_usdc', message: 'more than 0' }],
    })
  if (atomic > limits.maxPayoutAtomic) {
    const most = formatUsdc(limits.maxPayoutAtomic)
    throw refuse('payout_cap_exceeded', {
      detail: `amount ${atomic} is over max_payout_atomic ${limits.maxPayoutAtomic}`,
      errors: [{ pointer: '/amount_usdc', message: `at most ${most}` }],
    })
  }
  if (refusedRecipients.has(terms.recipient)) {
    const message = 'not the zero address, the asset or an address of this service'
    throw refuse('recipient_refused', {
      detail: 'this address is never paid',
      errors: [{ pointer: '/recipient', message }],
    })
  }
  return terms
}
