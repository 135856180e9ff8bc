import { refuse } from '#domain/core/errors.ts'
import { findPresented, type ReferenceRow } from '../store/payments/payment-references.ts'
import { transaction } from '../store/postgres/db.ts'
import { ownWallet } from './allowance.ts'
import type { MoneyDeps } from './deps.ts'
import { insertPresented, type Presenter, settleProven } from './presented.ts'
import { offeredAs, prepare, presentationName } from './presenting.ts'

export type TopUpInput = Presenter & { walletId: string; amountUsd: number }

/**
 * Presents a payment into an allowance wallet; repeated, it answers the same reference. No wallet is paid from another one, as
 * its limits would be gone around. Throws as `presentReference` does.
 */
export async function presentTopUp(deps: MoneyDeps, input: TopUpInput): Promise<ReferenceRow> {
  const { agentId, walletId, amountUsd, method } = input
  if (method === 'agent_allowance')
    throw refuse('unsupported_request', {
      detail: 'a wallet is not paid from a wallet',
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
    })
    const same = sameTopUp(known, input)
    if (same !== undefined) return same
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

/** The earlier reference of the same mandate or signed payment, which can be proven only once. */
async function presentedBefore(
  deps: MoneyDeps,
  input: TopUpInput,
): Promise<ReferenceRow | undefined> {
  const external_reference = proofName(deps, input)
  if (external_reference === undefined) return undefined
  return findPresented(deps.db, { method: input.method, external_reference })
}

/** The name under which the proof of a mandate or a signed payment is stored. */
function proofName(
  { offers }: MoneyDeps,
  { method, amountUsd, proof }: TopUpInput,
): string | undefined {
  if (method === 'ap2_mandate_reference')
    return proof?.presentation === undefined ? undefined : presentationName(proof.presentation)
  if (method !== 'x402_reference') return undefined
  const offer = offeredAs({ amount_usd: amountUsd })
  return offers.readPayment({ 'payment-signature': proof?.payment }, offer)?.paymentId
}
