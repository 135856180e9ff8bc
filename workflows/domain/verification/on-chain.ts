import { CHAIN_ID } from '../core/limits.ts'
import { isObject } from '../core/plain-object.ts'
import type { LoggedTransaction } from '../reconciliation/findings.ts'
import { type Verdict, withFailed, withHeld } from './verdict.ts'

/** A transfer of the token that an artifact says it saw on chain. */
export type NamedTransfer = {
  readonly transactionHash: string
  readonly asset: string
  readonly from: string
  readonly to: string
  readonly amountAtomic: string
}

/** The transfer that a receipt of a payout or a passport of a payment names; undefined where it names none. */
export function transferNamedBy({ kind, claims }: Verdict): NamedTransfer | undefined {
  if (claims === null) return undefined
  if (kind === 'receipt')
    return transferIn(claims, { from: claims['payout_wallet'], to: claims['recipient'] })
  const proven = kind === 'passport' ? claims['proven'] : undefined
  const payment = isObject(proven) ? proven['payment'] : undefined
  if (!isObject(payment)) return undefined
  return transferIn(payment, { from: payment['payer'], to: payment['pay_to'] })
}

function transferIn(
  members: Record<string, unknown>,
  parties: { from: unknown; to: unknown },
): NamedTransfer | undefined {
  const named = {
    transactionHash: members['transaction_hash'],
    asset: members['asset'],
    ...parties,
    amountAtomic: members['amount_atomic'],
  }
  const isNamed = Object.values(named).every((value) => typeof value === 'string')
  return isNamed ? (named as NamedTransfer) : undefined
}

/** What a chain has under the hash that an artifact names: its id and the transaction; undefined where it did not answer. */
export type ChainAnswer = { readonly chainId: number; readonly found: LoggedTransaction }

/** The verdict once a chain was asked for the transfer that the artifact names. */
export function judgeOnChain(verdict: Verdict, answer: ChainAnswer | undefined): Verdict {
  const named = transferNamedBy(verdict)
  if (verdict.verdict === 'invalid') return verdict
  if (named === undefined) return withHeld(verdict, 'chain', 'it names no transfer')
  if (answer === undefined) return withFailed(verdict, 'indeterminate', 'chain_unavailable')
  if (answer.chainId !== CHAIN_ID) return withFailed(verdict, 'indeterminate', 'chain_other')
  if (answer.found === null) return withFailed(verdict, 'indeterminate', 'receipt_missing')
  const transfer = answer.found.transfers.find(
    ({ from, to, amountAtomic }) =>
      from === named.from && to === named.to && amountAtomic === named.amountAtomic,
  )
  if (transfer === undefined) return withFailed(verdict, 'invalid', 'transfer_absent')
  return withHeld(verdict, 'chain', `its transfer is in block ${transfer.blockNumber}`)
}
