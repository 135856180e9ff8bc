import type { FacilitatorClient } from '@x402/core/http'
import type { Hex } from '#domain/core/ids.ts'
import type { PaymentTerms } from '#domain/payments/payment.ts'
import type { TokenAuthorization } from '../chain/authorization.ts'
import type { CheckTransfer } from '../chain/preflight.ts'
import type { PaymentRow } from '../store/payments/payments.ts'
import { payloadOf } from './facilitator.ts'

/** What the sending of a payment came to; only a hint, the truth is what the chain's logs say. */
type SettleHint = { ok: true } | { ok: false; reason: string }

/** Sends a claimed payment; repeats join what is stored. Never throws. */
export type Settler = { settle(row: SettledRow): Promise<SettleHint> }

export type SettledRow = Pick<
  PaymentRow,
  | 'payer'
  | 'pay_to'
  | 'amount_atomic'
  | 'valid_after'
  | 'valid_before'
  | 'authorization_nonce'
  | 'signature'
  | 'requirements'
>

/** `preflight` keeps gas from being spent on a transfer that would revert; it is left out where a remote facilitator pays for it. */
export type SettlerDeps = {
  readonly facilitator: Pick<FacilitatorClient, 'settle'>
  readonly preflight?: CheckTransfer
  readonly timeoutMs?: number
}

/** A settler over a facilitator, bounded in time (2 s); what is still running after that goes on, and a repeat joins it. */
export function createSettler({ facilitator, preflight, timeoutMs = 2_000 }: SettlerDeps): Settler {
  const send = async (row: SettledRow): Promise<SettleHint> => {
    const authorization = paymentAuthorization(row)
    const signature = row.signature as Hex
    const check = await preflight?.(authorization, signature)
    if (check?.kind === 'used') return { ok: true }
    if (check?.kind === 'parked') return { ok: false, reason: check.reason }
    const terms = row.requirements as PaymentTerms
    const answer = await facilitator.settle(payloadOf(terms, authorization, signature), {
      ...terms,
    })
    return answer.success
      ? { ok: true }
      : { ok: false, reason: answer.errorReason ?? 'the facilitator gave no reason' }
  }
  return {
    settle: async (row) => {
      const late = new AbortController()
      const timeout = new Promise<SettleHint>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs, {
          ok: false,
          reason: 'the settlement is still under way',
        })
        late.signal.addEventListener('abort', () => clearTimeout(timer))
      })
      const sent = send(row).catch(
        (error: unknown): SettleHint => ({
          ok: false,
          reason: error instanceof Error ? error.message.slice(0, 200) : 'the settlement failed',
        }),
      )
      return Promise.race([sent, timeout]).finally(() => late.abort())
    },
  }
}

/** What the chain has to prove before a payment counts as failed: that no signature over its nonce can be used any more. */
export const lastAuthorization = (
  row: SettledRow & Pick<PaymentRow, 'last_valid_before'>,
): TokenAuthorization => ({
  ...paymentAuthorization(row),
  validBefore: BigInt(row.last_valid_before),
})

/** The EIP-3009 authorization that a payment row holds. */
function paymentAuthorization(row: SettledRow): TokenAuthorization {
  return {
    from: row.payer as Hex,
    to: row.pay_to as Hex,
    value: BigInt(row.amount_atomic),
    validAfter: BigInt(row.valid_after),
    validBefore: BigInt(row.valid_before),
    nonce: row.authorization_nonce as Hex,
  }
}
