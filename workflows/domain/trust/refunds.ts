import { trustLimits } from '../core/limits.ts'
import type { ProvenPayment, SeenTransfer } from './counterparties.ts'

/** A transfer from a payee back to the payer, and the payment that it returns. */
export type Refund = { id: string; payment: string; amount_atomic: string }

type Place = Pick<SeenTransfer, 'blockNumber' | 'logIndex'>
const compare = (one: Place, other: Place): number =>
  Number(BigInt(one.blockNumber) - BigInt(other.blockNumber)) || one.logIndex - other.logIndex

/**
 * The largest transfers from payees back to the wallet, at most as many as the limit. Each returns the last payment to that payee
 * before it in whose examined logs it is.
 */
export function findRefunds(wallet: string, payments: readonly ProvenPayment[]): Refund[] {
  const found = new Map<string, { refund: Refund; returns: ProvenPayment }>()
  for (const payment of payments)
    for (const transfer of payment.examined) {
      if (transfer.from !== payment.payee || transfer.to !== wallet) continue
      if (compare(transfer, payment) <= 0) continue
      const known = found.get(transfer.id)
      if (known !== undefined && compare(known.returns, payment) > 0) continue
      const { id, amountAtomic } = transfer
      const refund = { id, payment: payment.id, amount_atomic: amountAtomic }
      found.set(id, { refund, returns: payment })
    }
  return [...found.values()]
    .map(({ refund }) => refund)
    .sort((one, other) => byAmount(one, other) || (one.id < other.id ? -1 : 1))
    .slice(0, trustLimits.refundsPerScore)
}

function byAmount(one: Refund, other: Refund): number {
  const [amount, against] = [BigInt(one.amount_atomic), BigInt(other.amount_atomic)]
  if (amount === against) return 0
  return amount > against ? -1 : 1
}
