import { refuse } from '#domain/core/errors.ts'
import type { PaymentMethod } from '#domain/core/payment-methods.ts'
import { findPresented, type ReferenceRow } from '../store/payments/payment-references.ts'
import { transaction } from '../store/postgres/db.ts'
import { ownWallet } from './allowance.ts'
import type { MoneyDeps } from './deps.ts'
import { assertMayName, insertPresented, type Presenter, settleProven } from './presented.ts'
import { offeredAs, prepare } from './presenting.ts'

export type TopUpInput = Presenter & { walletId: string; amountUsd: number }

/**
 * Whether an allowance wallet is topped up by this method. A wallet that pays another one would go around its limits, and a mandate
 * permits a payment for a quote.
 */
export const paysWallet = (method: PaymentMethod): boolean =>
  method !== 'agent_allowance' && method !== 'ap2_mandate_reference'

/**
 * Presents a payment into an allowance wallet; repeated, it answers the same reference. 400 `unsupported_request` for a method that
 * pays into no wallet; throws as `presentReference` does.
 */
export async function presentTopUp(deps: MoneyDeps, input: TopUpInput): Promise<ReferenceRow> {
  const { agentId, walletId, amountUsd, method } = input
  if (!paysWallet(method))
    throw refuse('unsupported_request', {
      detail: `a wallet is not paid by ${method}`,
      next_action: 'Pay into it in another way.',
    })
  const earlier = sameTopUp(await presentedBefore(deps, input), input)
  if (earlier !== undefined) return earlier
  const prepared = await prepare(deps, { id: walletId, amount_usd: amountUsd }, input)
  return transaction(deps.db, async (tx) => {
    await ownWallet(tx, walletId, agentId)
    const known = await findPresented(tx, {
      method,
      external_reference: prepared.external_reference,
      wallet_id: walletId,
    })
    const same = sameTopUp(known, input)
    if (same !== undefined) return same
    await assertMayName(tx, input)
    const reference = await insertPresented(tx, {
      input,
      prepared,
      target: { amount_usd: amountUsd, wallet_id: walletId },
    })
    return settleProven(deps, tx, { reference, challenge: undefined, proven: prepared.proven })
  })
}

/** The row where it is this very top-up; 422 `amount_mismatch` where it was presented as another amount. */
function sameTopUp(row: ReferenceRow | undefined, { walletId, agentId, amountUsd }: TopUpInput) {
  if (row?.wallet_id !== walletId || row.agent_id !== agentId) return undefined
  if (row.amount_usd === amountUsd) return row
  throw refuse('amount_mismatch', {
    detail: `it was presented as ${row.amount_usd} usd`,
    next_action: 'Name the amount that was presented.',
  })
}

/** The earlier reference of the same signed payment, which can be proven only once. */
async function presentedBefore(
  deps: MoneyDeps,
  input: TopUpInput,
): Promise<ReferenceRow | undefined> {
  const { method, amountUsd, proof } = input
  if (method !== 'x402_reference') return undefined
  const offer = offeredAs({ amount_usd: amountUsd })
  const payment = deps.offers.readPayment({ 'payment-signature': proof?.payment }, offer)
  if (payment === undefined) return undefined
  return findPresented(deps.db, { method, external_reference: payment.paymentId })
}
